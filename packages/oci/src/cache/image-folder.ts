import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import { digestOf, verifyDigest } from '../digest.ts';
import { formatImageReference, type ImageReference } from '../image-reference.ts';
import { manifestLimitBytes } from '../manifest-limit.ts';
import { mediaTypeOf } from '../media-type-of.ts';
import { type BlobFile, blobFileOf } from './blob-file.ts';
import { type CacheFiles, openCacheFiles } from './cache-files.ts';
import { blobPath, cacheFolders, manifestPath, registryFromFolder, repositoryPath } from './cache-paths.ts';
import { readStored } from './stored-file.ts';
import type { VerifiedFiles } from './verified-files.ts';

/** A manifest or an index. */
export interface StoredManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Images in a folder, which may be missing. Everything is verified when it is read, or was within the last ten minutes (see `VerifiedFiles`). */
export interface ImageFolder {
  readonly root: string;
  /** @throws Fault `data-loss` when nothing in the folder can be read */
  check(): Promise<void>;
  /**
   * The manifest that a tag or a digest names; `undefined` when the folder does not have it.
   *
   * @throws Fault `data-loss` when it has another digest, or when the file of the tag differs from that of its digest
   */
  manifest(reference: ImageReference): Promise<StoredManifest | undefined>;
  /** Opens a blob; `undefined` when the folder does not have it, or when it was found damaged. */
  blob(digest: string): Promise<BlobFile | undefined>;
  /** The registries of which the folder has a repository with this name, sorted. */
  registriesOf(repository: string): Promise<string[]>;
}

/** @param files default: those of `root`, in either layout */
export function openImageFolder(
  root: string,
  verified: VerifiedFiles,
  files: CacheFiles = openCacheFiles(root),
): ImageFolder {
  async function read(reference: ImageReference) {
    await using file = await files.open(manifestPath(reference));
    if (file === undefined) return undefined;
    if (file.size > manifestLimitBytes)
      throw new Fault('data-loss', `the stored manifest of ${formatImageReference(reference)} is too large`);
    return { bytes: await readStored(file), identity: file.identity };
  }

  const keyOf = (reference: ImageReference) => join(root, manifestPath(reference));

  /** The manifest that was read lately, if its files are still the same. */
  async function kept(reference: ImageReference): Promise<StoredManifest | undefined> {
    const last = verified.manifests.get(keyOf(reference));
    if (last === undefined) return undefined;
    const { registry, repository } = reference;
    const { digest } = last.manifest;
    const [identity, ofDigest] = await Promise.all([
      files.identityOf(manifestPath(reference)),
      reference.digest ?? files.identityOf(manifestPath({ registry, repository, digest })),
    ]);
    return identity === last.identity && ofDigest !== undefined ? last.manifest : undefined;
  }

  return {
    root,
    async check() {
      await files.names(cacheFolders.manifests);
    },
    async manifest(reference) {
      const known = await kept(reference);
      if (known !== undefined) return known;
      const found = await read(reference);
      if (found === undefined) return undefined;
      const { bytes, identity } = found;
      const { registry, repository } = reference;
      const digest = reference.digest ?? digestOf(bytes);
      const name = formatImageReference(reference);
      if (reference.digest !== undefined) verifyDigest(bytes, digest, `the stored manifest of ${name}`);
      else if ((await read({ registry, repository, digest })) === undefined)
        throw new Fault(
          'data-loss',
          `the stored tag ${name} is ${digest}, which is not stored by its digest`,
        );
      const manifest = { digest, mediaType: mediaTypeOf(bytes), bytes };
      verified.manifests.keep(keyOf(reference), { identity, manifest });
      return manifest;
    },
    async blob(digest) {
      const file = await files.open(blobPath(digest));
      return file && blobFileOf(file, digest, verified);
    },
    async registriesOf(repository) {
      const names = await files.names(cacheFolders.manifests);
      const registries = names.toSorted().map(registryFromFolder);
      const found = await Promise.all(
        registries.map((registry) => files.names(repositoryPath({ registry, repository }))),
      );
      return registries.filter((_, index) => (found[index] ?? []).length > 0);
    },
  };
}
