import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** An open file of a cache. */
export interface StoredFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}

/** A link is not followed, because media of others may hold the cache; a pipe does not block. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file for reading; `undefined` when it is missing or not a regular file. */
export async function openStoredFile(path: string): Promise<StoredFile | undefined> {
  const handle = await open(path, flags).catch(undefinedIfMissing);
  if (handle === undefined) return undefined;
  const stats = await handle.stat({ bigint: true });
  if (stats.isFile()) return { handle, stats, [Symbol.asyncDispose]: () => handle.close() };
  await handle.close();
  return undefined;
}

/** A name that leads through a file, or that is too long for the file system, is missing too; so is a link. */
export function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(error.code ?? '')) throw error;
}
