import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { creationFlags, makeFolder, syncFile, syncFolder } from '@nodewright/files';
import type { ImageReference } from '@nodewright/oci';
import {
  blobPath,
  type CacheFiles,
  cacheFolders,
  fileFromDigest,
  type ImageFolder,
  manifestPath,
  openFlatFiles,
  openImageFolder,
  type VerifiedFiles,
} from '@nodewright/oci/cache';

/** Files that are not complete; nothing below it is ever served. */
export const unfinishedFolder = 'unfinished';

/**
 * The folder of the images that were pulled. A file appears under its name complete, verified and on the disk, or not at all: it is
 * written below `unfinished` and then renamed.
 */
export interface CacheStore {
  readonly folder: ImageFolder;
  readonly files: CacheFiles;
  /** Stores a manifest by its digest, and then by its tag if the reference has one. */
  storeManifest(reference: ImageReference, digest: string, bytes: Uint8Array): Promise<void>;
  /** The file of a blob while it is downloaded. */
  unfinishedPath(digest: string): string;
  /** Makes a complete, verified and synced download visible. */
  commitBlob(digest: string): Promise<void>;
  /** Removes a file below the folder, and the folders that this leaves empty. */
  remove(path: string): Promise<void>;
  /** Records the use of an image now, at most once per `everyMs`. */
  touch(reference: ImageReference, everyMs: number): Promise<void>;
}

/** A start of the name of manifests that are being written. They are small, so none is continued after a crash. */
const draftPrefix = 'draft-';
const fileMode = 0o600;
const folderMode = 0o700;

/** Opens the store, which only one process may use, and removes what a crash left. */
export async function openCacheStore(root: string, verified: VerifiedFiles): Promise<CacheStore> {
  const at = (path: string) => join(root, path);
  const files = openFlatFiles(root);
  for (const name of [unfinishedFolder, cacheFolders.blobs, cacheFolders.manifests])
    await makeFolder(at(name), folderMode);
  for (const name of await readdir(at(unfinishedFolder)))
    if (name.startsWith(draftPrefix)) await rm(at(join(unfinishedFolder, name)), { force: true });

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const draft = at(join(unfinishedFolder, draftPrefix + randomBytes(8).toString('hex')));
    try {
      {
        await using file = await open(draft, creationFlags, fileMode);
        await file.writeFile(bytes);
      }
      await syncFile(draft);
      await makeFolder(dirname(at(path)), folderMode);
      await rename(draft, at(path));
      await syncFolder(dirname(at(path)));
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      throw error;
    }
  }

  const unfinishedPath = (digest: string) => at(join(unfinishedFolder, fileFromDigest(digest)));
  return {
    ...{ files, folder: openImageFolder(root, verified, files) },
    async storeManifest({ registry, repository, tag }, digest, bytes) {
      await write(manifestPath({ registry, repository, digest }), bytes);
      // A tag is found only together with its digest, so it comes last.
      if (tag !== undefined) await write(manifestPath({ registry, repository, tag }), bytes);
    },
    unfinishedPath,
    async commitBlob(digest) {
      await rename(unfinishedPath(digest), at(blobPath(digest)));
      await syncFolder(at(cacheFolders.blobs));
    },
    async remove(path) {
      await rm(at(path), { force: true });
      if (path.startsWith(`${cacheFolders.manifests}/`)) await removeEmptyFolders(root, dirname(path));
    },
    async touch(reference, everyMs) {
      const path = at(manifestPath(reference));
      const now = new Date();
      const { mtimeMs } = await stat(path);
      if (now.getTime() - mtimeMs >= everyMs) await utimes(path, now, now);
    },
  };
}

/** Up to the folder of all manifests. A folder that is not empty ends it. */
async function removeEmptyFolders(root: string, path: string): Promise<void> {
  for (let folder = path; folder.includes('/'); folder = dirname(folder)) {
    try {
      await rmdir(join(root, folder));
    } catch {
      return;
    }
  }
}
