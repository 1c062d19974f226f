import { type Dirent, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { layoutFile } from './oci-layout.ts';
import { openPackedFiles } from './packed-files.ts';
import { openStoredFile, type StoredFile, storedIdentity, undefinedIfMissing } from './stored-file.ts';

/** A file that a cache has. */
export interface ListedFile {
  /** Below the root of the cache. */
  readonly path: string;
  readonly bytes: number;
  /** Unix time in ms. */
  readonly lastUsedMs: number;
}

/** The files of a cache, by their paths in the flat layout (cache-paths.ts). */
export interface CacheFiles {
  /** Opens a file for reading; `undefined` when it is missing or not a regular file. */
  open(path: string): Promise<StoredFile | undefined>;
  /** The `StoredFile.identity` that `open` would give now. It does not open the file, and needs one turn of the event loop. */
  identityOf(path: string): Promise<string | undefined>;
  /** The names in a folder; none when it is missing. */
  names(folder: string): Promise<string[]>;
  /** The files below a folder. Those that appear or vanish meanwhile may be missing. Rejects when a part of it cannot be read. */
  below(folder: string): AsyncIterable<ListedFile>;
}

/** Opens the files of a cache whose folder may be missing: the flat layout, or an OCI layout that holds the same files. */
export function openCacheFiles(root: string): CacheFiles {
  const flat = openFlatFiles(root);
  const packed = openPackedFiles(root);
  // The folder may get its content later.
  const current = () =>
    statSync(join(root, layoutFile), { throwIfNoEntry: false }) === undefined ? flat : packed;
  return {
    open: (path) => current().open(path),
    identityOf: (path) => current().identityOf(path),
    names: (folder) => current().names(folder),
    below: (folder) => current().below(folder),
  };
}

/** The flat layout: files in folders. */
export function openFlatFiles(root: string): CacheFiles {
  return {
    open: (path) => openStoredFile(join(root, path)),
    identityOf: (path) => storedIdentity(join(root, path)),
    names: async (folder) => (await readdir(join(root, folder)).catch(undefinedIfMissing)) ?? [],
    async *below(folder) {
      const entries: Dirent[] | undefined = await readdir(join(root, folder), { withFileTypes: true }).catch(
        undefinedIfMissing,
      );
      for (const entry of entries ?? []) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) yield* this.below(path);
        const stats = entry.isFile() ? await stat(join(root, path)).catch(undefinedIfMissing) : undefined;
        if (stats !== undefined) yield { path, bytes: stats.size, lastUsedMs: stats.mtimeMs };
      }
    },
  };
}
