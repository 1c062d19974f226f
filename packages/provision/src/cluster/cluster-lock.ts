import { constants } from 'node:fs';
import { lstat, mkdir, open, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault } from '@nodewright/fault';
import type { OwnerSocket } from './owner-socket.ts';
import { askLockOwner, holdSocketLock } from './socket-lock.ts';
import { privateFolderMode } from './write-private-file.ts';

/** How often another command may remove the folder of the lock, because it has ended, before this one has its socket in it. */
const attempts = 20;

/**
 * Takes the lock that every command holds while it changes a cluster. It lies beside the cluster's folder, which commands make and remove;
 * the folder of clusters must exist. Throws a Fault `aborted` with the pid of the holder when another command has the lock.
 */
export async function lockCluster(folder: string, name: string): Promise<OwnerSocket> {
  const place = { folder: join(dirname(folder), `.${basename(folder)}.lock`), name: 'change' } as const;
  for (let attempt = 1; ; attempt++) {
    try {
      await makeLockFolder(place.folder);
      const lock = await holdSocketLock(place, () => ({ pid: process.pid }));
      if (lock !== undefined) return removingFolder(lock, place.folder);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === attempts) throw error;
    }
  }
  const owner = await askLockOwner(place);
  const pid = typeof owner === 'object' && owner !== null && 'pid' in owner ? ` (pid ${owner.pid})` : '';
  throw new Fault('aborted', `another command${pid} is changing cluster "${name}": wait for it to end`);
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
