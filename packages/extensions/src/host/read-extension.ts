import { ContentCheck, manifestName } from '../domain/content-check.ts';
import { type ExtensionMetadata, extensionMetadata } from '../domain/extension-manifest.ts';
import { refused } from '../domain/refused.ts';
import type { ExtensionSource } from './extension-source.ts';
import { createPlacer, type Placer } from './place-entries.ts';

/** An extension whose contents are allowed on machines. */
export interface CheckedExtension {
  readonly metadata: ExtensionMetadata;
}

/**
 * Checks a whole extension. Nothing is written.
 *
 * @param version of the system that it has to be compatible with
 * @throws Fault `invalid-argument` with the reason why it is refused, `data-loss` for one that is damaged
 */
export const checkExtension = (source: ExtensionSource, version: string): Promise<CheckedExtension> =>
  read(source, version, 'manifest', undefined);

/**
 * Writes the root of an extension into a folder. It is checked again: what the source gives may have changed. Files and folders
 * belong to this process, with the modes 0755 and 0644, and without extended attributes.
 *
 * @param folder that does not exist; after a failure it has a part of the files
 * @throws Fault as `checkExtension()` does
 */
export const placeExtension = (
  source: ExtensionSource,
  version: string,
  folder: string,
): Promise<CheckedExtension> => read(source, version, 'all', createPlacer(folder));

async function read(
  source: ExtensionSource,
  version: string,
  needs: 'manifest' | 'all',
  placer: Placer | undefined,
): Promise<CheckedExtension> {
  const check = new ContentCheck();
  let manifest: string | undefined;
  await placer?.begin();
  for await (const layer of source.layers(needs)) {
    check.beginLayer();
    for await (const { entry, content } of layer) {
      const checked = check.add(entry);
      if (checked.path === manifestName) manifest = await textOf(content, checked.sizeBytes);
      else await placer?.place(checked, content);
    }
  }
  check.finish();
  if (manifest === undefined) throw refused(`${manifestName} is missing`);
  return { metadata: extensionMetadata(manifest, version) };
}

async function textOf(content: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of content) {
    length += piece.length;
    if (length > sizeBytes) break;
    pieces.push(piece);
  }
  if (length !== sizeBytes) throw refused(`${manifestName} changes while it is read`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw refused(`${manifestName} is not UTF-8`);
  }
}
