import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

/** An open file of a cache, which may be a part of a larger file. */
export interface StoredFile extends AsyncDisposable {
  readonly handle: FileHandle;
  /** Where it begins in that file. */
  readonly start: number;
  /** Bytes. */
  readonly size: number;
  /** Changes with the inode, the size or the times of the file. */
  readonly identity: string;
}

/** A link is not followed, because media of others may hold the cache; a pipe does not block. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file for reading; `undefined` when it is missing or not a regular file. */
export async function openStoredFile(path: string): Promise<StoredFile | undefined> {
  const handle = await open(path, flags).catch(undefinedIfMissing);
  if (handle === undefined) return undefined;
  const stats = await handle.stat({ bigint: true });
  if (stats.isFile()) {
    const whole = { start: 0, size: Number(stats.size), identity: identityOf(stats) };
    return { handle, ...whole, [Symbol.asyncDispose]: () => handle.close() };
  }
  await handle.close();
  return undefined;
}

/** The identity of a file, without opening it; `undefined` when it is missing or not a regular file. */
export async function storedIdentity(path: string): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(undefinedIfMissing);
  return stats?.isFile() ? identityOf(stats) : undefined;
}

const identityOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mtimeNs, ctimeNs].join(':');

/** The content of a small file. */
export async function readStored({ handle, start, size }: StoredFile): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let done = 0;
  while (done < size) {
    const { bytesRead } = await handle.read(buffer, done, size - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

/** A name that leads through a file, or that is too long for the file system, is missing too; so is a link. */
export function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].includes(error.code ?? '')) throw error;
}
