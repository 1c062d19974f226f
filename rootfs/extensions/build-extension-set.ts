import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { archiveItems } from '@nodewright/build/archives';
import type { SecureBootKey } from '@nodewright/build/keys';
import { verityTree } from '@nodewright/disk';
import { encodeSetDescription, extensionSetLimits, setFiles, setTreeInit } from '@nodewright/extensions/sets';
import { signDetached } from '@nodewright/pki/detached-signature';
import { setModes } from '../image/place-files.ts';
import { squashRoot } from '../image/squash-root.ts';
import { type BuildExtensionsInit, describeLayers, placeDocument, placeLayers } from './build-extensions.ts';
import { imageOfSetFile } from './extensions-document.ts';
import { stackRoots } from './stack-roots.ts';

export interface BuildSetInit extends BuildExtensionsInit {
  /** Root hash of the root file system of the image that takes the set, in hex. */
  readonly imageRootHash: string;
  readonly signer: SecureBootKey;
}

/** A set that nodes can verify. */
export interface BuiltSet {
  /** The name of the set. */
  readonly rootHash: string;
  /** The tar archive. The same arguments give the same bytes. */
  readonly archive: Buffer;
}

/**
 * Stacks extensions, with the index of their kernel modules, into one squashfs, and signs it.
 *
 * @param names as for `buildExtensions()`
 * @throws Error with one line that names the extension, or says that the set is too large
 */
export async function buildExtensionSet(names: readonly string[], init: BuildSetInit): Promise<BuiltSet> {
  const { tools, work, epochSeconds, imageRootHash, signer } = init;
  if (names.length === 0) throw new Error('a set needs at least one extension: EXTENSIONS= names them');
  const placed = await placeLayers(names, init);
  const layers = describeLayers(placed);
  const root = join(work, 'set');
  mkdirSync(root);
  stackRoots(
    placed.map((layer) => layer.root),
    root,
  );
  placeDocument(root, layers);
  writeFileSync(join(root, imageOfSetFile), `${imageRootHash}\n`);
  setModes(root);
  const target = join(work, setFiles.squashfs);
  squashRoot({ root, target, tools, epochSeconds });
  const squashfs = readFileSync(target);
  const limit = extensionSetLimits.squashfsBytes;
  if (squashfs.length > limit)
    throw new Error(`the set has ${squashfs.length} bytes, and a node takes at most ${limit}`);
  const salt = createHash('sha256').update(squashfs).digest();
  const { rootHash, file: tree } = verityTree(squashfs, setTreeInit(salt));
  const description = encodeSetDescription({
    ...{ rootHash, imageRootHash, squashfsBytes: squashfs.length, layers },
  });
  const sign = (content: Buffer) => signDetached(content, signer.key, signer.certificate);
  const files = new Map([
    [setFiles.description, description],
    [setFiles.descriptionSignature, sign(description)],
    [setFiles.rootHashSignature, sign(Buffer.from(rootHash))],
    [setFiles.tree, tree],
    [setFiles.squashfs, squashfs],
  ]);
  const items = [...files].map(
    ([name, data]) => ({ name, content: { kind: 'file', data: [data] } }) as const,
  );
  return { rootHash, archive: Buffer.concat(archiveItems(items, epochSeconds)) };
}
