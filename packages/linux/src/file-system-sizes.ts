import { stat, statfs } from 'node:fs/promises';
import { faultFrom } from '@nodewright/fault';
import type { BoundedCalls } from './bounded-calls.ts';
import { isLocalMount } from './local-mount.ts';
import { type Mount, pathFromMountPoint } from './parse-mounts.ts';

/** Size of a mounted file system in bytes. `availableBytes` excludes space that is reserved for root. */
export interface FileSystemSize {
  readonly sizeBytes: bigint;
  readonly availableBytes: bigint;
}

/** Space of a file system in bytes, and its numbers of inodes. */
export interface FileSystemSpace extends FileSystemSize {
  /** Includes space that is reserved for root, if it is used. */
  readonly usedBytes: bigint;
  readonly inodes: bigint;
  readonly inodesUsed: bigint;
  readonly inodesFree: bigint;
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
  /**
   * The space of the file system that a file is on.
   *
   * @param name of the file, for messages and to recognise a file system that hangs already
   * @param mountPoint of the file system, where it may hang
   * @throws an error of Node.js with the errno, or Fault `deadline-exceeded` when the file system does not answer in time
   */
  spaceOf(path: string | Buffer, name: string, mountPoint?: string): Promise<FileSystemSpace>;
}

/** Who makes calls that may not return. Those to disks must not wait behind those to servers that are away. */
export interface SlowCalls {
  readonly remote: BoundedCalls;
  readonly disks: BoundedCalls;
}

/** How many times as long as for a server file systems of the kernel and of disks are waited for. */
const localPatience = 5;

const noSize: FileSystemSize = { sizeBytes: 0n, availableBytes: 0n };

/** Errors of mount points that are not accessible: they give zeros, not a failure. */
const unseenCodes = new Set(['ENOENT', 'EACCES', 'EPERM']);

/**
 * A file system that hangs, such as one of a dead NFS server, blocks every thread that calls it. So the call is never made twice
 * at the same time for one mount point, and each caller waits at most `timeoutMs`: a hung file system occupies few of the threads
 * for such calls, and no caller.
 */
export function createFileSystemSizes(init: { readonly timeoutMs: number } & SlowCalls): FileSystemSizes {
  const { timeoutMs, remote, disks } = init;
  const sizes = new Map<string, Promise<FileSystemSize>>();
  const spaces = new Map<string, Promise<FileSystemSpace>>();

  function asked<T>(pending: Map<string, Promise<T>>, name: string, ask: () => Promise<T>): Promise<T> {
    const answer = pending.get(name) ?? ask().finally(() => pending.delete(name));
    pending.set(name, answer);
    return answer;
  }

  return {
    sizeOf(mount) {
      const path = pathFromMountPoint(mount.mountPoint);
      const isLocal = isLocalMount(mount);
      const calls = isLocal ? disks : remote;
      // On a busy machine the kernel itself answers late.
      const limitMs = isLocal ? localPatience * timeoutMs : timeoutMs;
      return asked(sizes, path, () =>
        calls.run(fileSystemAt(path), () => askSize(path), { timeoutMs: limitMs }),
      );
    },
    spaceOf(path, name, mountPoint) {
      const calls = mountPoint === undefined ? disks : remote;
      const place = fileSystemAt(mountPoint ?? name);
      return asked(spaces, name, () => calls.run(place, () => askSpace(path), { timeoutMs }));
    },
  };
}

/** The file system as the subject of a message. */
export function fileSystemAt(mountPoint: string): string {
  return `the file system at "${mountPoint}"`;
}

async function askSpace(path: string | Buffer): Promise<FileSystemSpace> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path, { bigint: true });
  return {
    sizeBytes: bsize * blocks,
    usedBytes: bsize * (blocks - bfree),
    availableBytes: bsize * bavail,
    ...{ inodes: files, inodesUsed: files - ffree, inodesFree: ffree },
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
