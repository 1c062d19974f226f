import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '@nodewright/fault';
import { shownPath } from '@nodewright/files';
import type { ClusterRef } from '../domain/provisioner.ts';
import type { OwnerSocket } from './owner-socket.ts';
import { askLockOwner, holdSocketLock } from './socket-lock.ts';
import { privateFolderMode } from './write-private-file.ts';

/** How often another command may remove the folder of the lock, because it has ended, before this one has its socket in it. */
const attempts = 20;

/**
 * Takes the lock that every command holds while it changes a cluster. It lies in the folder of clusters, which must exist, under the
 * name of the cluster: commands make and remove the cluster's folder itself, and it may be a link to a place where users make nothing.
 *
 * @throws Fault `aborted` with the pid of the holder when another command has the lock; `permission-denied` or `failed-precondition` when
 * the folder of clusters cannot be written to
 */
export async function lockCluster({ clustersFolder, name }: ClusterRef): Promise<OwnerSocket> {
  const parent = await realpath(clustersFolder);
  const place = { folder: join(parent, `.${name}.lock`), name: 'change' } as const;
  for (let attempt = 1; ; attempt++) {
    try {
      await makeLockFolder(place.folder);
      const lock = await holdSocketLock(place, () => ({ pid: process.pid }));
      if (lock !== undefined) return removingFolder(lock, place.folder);
      break;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || attempt === attempts) throw orUnwritable(error, name, parent);
    }
  }
  const owner = await askLockOwner(place);
  const pid = typeof owner === 'object' && owner !== null && 'pid' in owner ? ` (pid ${owner.pid})` : '';
  throw new Fault('aborted', `another command${pid} is changing cluster "${name}": wait for it to end`);
}

function orUnwritable(error: unknown, name: string, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const text = `cluster "${name}" cannot be locked, because`;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return new Fault(
        'permission-denied',
        `${text} you may not write to ${shownPath(folder)} (${code}): use a folder of clusters of your own, or run the command as its owner`,
        { cause: error },
      );
    case 'EROFS':
      return new Fault(
        'failed-precondition',
        `${text} the file system of ${shownPath(folder)} is mounted read-only (EROFS)`,
        { cause: error },
      );
    default:
      return error;
  }
}

function removingFolder(lock: OwnerSocket, folder: string): OwnerSocket {
  return {
    async [Symbol.asyncDispose]() {
      await lock[Symbol.asyncDispose]();
      // It stays when another command has its socket in it.
      await rmdir(folder).catch(() => {});
    },
  };
}

/** It belongs to the owner of the clusters, even if root makes it: otherwise a killed command of root would keep him from his clusters. */
async function makeLockFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: privateFolderMode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw error;
  }
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = await lstat(dirname(folder));
  if (uid === 0) return;
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  await using handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  await handle.chown(uid, gid);
}
