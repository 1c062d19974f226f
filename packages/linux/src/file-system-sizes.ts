import { stat, statfs } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { type Mount, pathFromMountPoint } from './parse-mounts.ts';

/** Size of a mounted file system in bytes. `availableBytes` excludes space that is reserved for root. */
export interface FileSystemSize {
  readonly sizeBytes: bigint;
  readonly availableBytes: bigint;
}

/** Reads the sizes of mounted file systems. */
export interface FileSystemSizes {
  /**
   * The size of the file system at `mount`. Zeros when the mount point is not a folder, is hidden or not
   * accessible to this user.
   *
   * @throws Fault `deadline-exceeded` when the file system does not answer in time, or of the errno's kind.
   */
  sizeOf(mount: Mount): Promise<FileSystemSize>;
}

const noSize: FileSystemSize = { sizeBytes: 0n, availableBytes: 0n };

/** Errors of mount points that are not accessible: they give zeros, not a failure. */
const unseenCodes = new Set(['ENOENT', 'EACCES', 'EPERM']);

/**
 * A file system that hangs, such as one of a dead NFS server, blocks every thread that calls it. So the call
 * is made in the thread pool, never twice at the same time for one mount point, and each caller waits at most
 * `timeoutMs`: a hung file system occupies one thread and no caller.
 */
export function createFileSystemSizes(init: { readonly timeoutMs: number }): FileSystemSizes {
  const pending = new Map<string, Promise<FileSystemSize>>();

  return {
    async sizeOf(mount) {
      const path = pathFromMountPoint(mount.mountPoint);
      let size = pending.get(path);
      if (size === undefined) {
        size = askSize(path).finally(() => pending.delete(path));
        pending.set(path, size);
      }
      return await withinTime(size, path, init.timeoutMs);
    },
  };
}

async function askSize(path: string): Promise<FileSystemSize> {
  try {
    if (!(await stat(path)).isDirectory()) return noSize;
    const { bsize, blocks, bavail } = await statfs(path, { bigint: true });
    return { sizeBytes: bsize * blocks, availableBytes: bsize * bavail };
  } catch (error) {
    if (unseenCodes.has((error as NodeJS.ErrnoException).code ?? '')) return noSize;
    throw faultFrom(error);
  }
}

async function withinTime<T>(answer: Promise<T>, path: string, timeoutMs: number): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      reject(
        new Fault('deadline-exceeded', `the file system at "${path}" did not answer within ${timeoutMs} ms`),
      ),
    timeoutMs,
  );
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
