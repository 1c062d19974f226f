import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import { stringify } from 'yaml';

/** On BOOT, in the folder of the slot, and in the folder of the image: `<n>.squashfs` and `<n>.verity`, from 1. */
export const extensionsFolder = 'extensions';

/** The text of `/etc/extensions.yaml`. Source: Talos v1.14: extensions, running node file. */
export const extensionsDocument = (layers: readonly ExtensionStatusSpec[]): string =>
  stringify({ layers: layers.map(({ image, metadata }) => ({ image, metadata: filled(metadata) })) });

const filled = ({ extraInfo, ...metadata }: ExtensionStatusSpec['metadata']) =>
  extraInfo === '' ? metadata : { ...metadata, extraInfo };

/** In the root of a set: the root hash of the image that it was built for. The init reads it. */
export const imageOfSetFile = 'etc/extensions-image';
