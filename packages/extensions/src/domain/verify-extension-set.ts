import type { X509Certificate } from 'node:crypto';
import { VerityTreeBuilder, verityTreeBytes, verityTreeInit } from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import { detachedSignatureBytes, isSignedDetached } from '@nodewright/pki/detached-signature';
import { showBytes } from './extension-limits.ts';
import {
  decodeSetDescription,
  type ExtensionSetDescription,
  extensionSetLimits,
  setFiles,
  setTreeInit,
} from './extension-set.ts';
import { readTar, type TarEntry } from './read-tar.ts';
import { damaged, refused } from './refused.ts';

export interface SetTrust {
  /** A set has to be signed with the key of one of them. */
  readonly certificates: readonly X509Certificate[];
  /** Root hash of the image for which the set must have been built. Undefined: any image. */
  readonly imageRootHash?: string;
}

/** A set that was verified, without its squashfs. */
export interface VerifiedSet {
  readonly description: ExtensionSetDescription;
  readonly rootHashSignature: Buffer;
  /** The hash tree of dm-verity, with its superblock. */
  readonly tree: Buffer;
  /** Where the squashfs begins in the archive, in bytes. */
  readonly squashfsOffset: number;
}

/**
 * Verifies a whole set: the signatures first, so that nothing unsigned is interpreted, then the image that it is for, then every
 * byte. In memory are at most the hash tree, twice, and a piece of the archive.
 *
 * @throws Fault `permission-denied` for a set that none of the certificates signed, `failed-precondition` for one of another image,
 * `invalid-argument` for one that exceeds a limit, `data-loss` for one that was changed or ends early
 */
export async function verifyExtensionSet(
  archive: AsyncIterable<Uint8Array>,
  { certificates, imageRootHash }: SetTrust,
): Promise<VerifiedSet> {
  const entries = readTar(archive);
  try {
    const described = await fileOf(entries, setFiles.description, extensionSetLimits.descriptionBytes);
    const signature = await fileOf(entries, setFiles.descriptionSignature, detachedSignatureBytes);
    if (!isSignedDetached(described, signature, certificates))
      throw new Fault(
        'permission-denied',
        'the set is not signed with a key that this image trusts, or its list was changed',
      );
    const description = decodeSetDescription(described);
    if (imageRootHash !== undefined && description.imageRootHash !== imageRootHash)
      throw new Fault(
        'failed-precondition',
        `the set was built for the image with the root hash ${description.imageRootHash}, and this image has ${imageRootHash}: build it again with the sources of this image`,
      );
    const rootHashSignature = await fileOf(entries, setFiles.rootHashSignature, detachedSignatureBytes);
    if (!isSignedDetached(Buffer.from(description.rootHash), rootHashSignature, certificates))
      throw damaged(`${setFiles.rootHashSignature} was changed`);
    checkSize(description);
    const tree = await fileOf(entries, setFiles.tree, verityTreeBytes(description.squashfsBytes));
    const squashfs = await nextOf(entries, setFiles.squashfs);
    await checkSquashfs(squashfs, description, tree);
    if ((await entries.next()).done !== true) throw damaged('the set has more files than it should have');
    return { description, rootHashSignature, tree, squashfsOffset: squashfs.offset };
  } finally {
    await entries.return(undefined);
  }
}

function checkSize({ squashfsBytes }: ExtensionSetDescription): void {
  const limit = extensionSetLimits.squashfsBytes;
  if (squashfsBytes > limit)
    throw refused(`the set has ${showBytes(squashfsBytes)}, more than ${showBytes(limit)}`);
}

/** Compares the data with the tree, and the tree with its root hash. */
async function checkSquashfs(
  { entry, content }: TarEntry,
  { squashfsBytes, rootHash }: ExtensionSetDescription,
  tree: Buffer,
): Promise<void> {
  const changed = () => damaged(`${setFiles.squashfs} or ${setFiles.tree} was changed`);
  const init = verityTreeInit(tree);
  if (entry.sizeBytes !== squashfsBytes || init === undefined) throw changed();
  const made = setTreeInit(init.salt);
  if (!made.uuid.equals(init.uuid)) throw changed();
  const builder = new VerityTreeBuilder(made);
  for await (const piece of content) builder.update(piece);
  const found = builder.finish();
  if (found.rootHash !== rootHash || !found.file.equals(tree)) throw changed();
}

async function nextOf(entries: AsyncGenerator<TarEntry>, name: string): Promise<TarEntry> {
  const next = await entries.next();
  const found = next.done === true ? undefined : next.value;
  if (found?.entry.name !== name || found.entry.kind !== 'file')
    throw damaged(`the file is no set of extensions: it lacks ${name}`);
  return found;
}

/** A small file of the archive. */
async function fileOf(entries: AsyncGenerator<TarEntry>, name: string, limitBytes: number): Promise<Buffer> {
  const { entry, content } = await nextOf(entries, name);
  if (entry.sizeBytes > limitBytes)
    throw refused(`${name} has ${showBytes(entry.sizeBytes)}, more than ${showBytes(limitBytes)}`);
  return Buffer.concat(await Array.fromAsync(content));
}
