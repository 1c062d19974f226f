import type { ExtensionSet } from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import { printableCell } from '../../render/printable.ts';

/** The first digits of a root hash, which tell sets apart. */
export const shortHash = (rootHash: string) => printableCell(rootHash.slice(0, 12));

/** The extensions of a set, with their versions. */
export const layersText = ({ layers }: ExtensionSet): string =>
  layers.map(({ name, version }) => printableCell(`${name} ${version}`.trim())).join(', ');
