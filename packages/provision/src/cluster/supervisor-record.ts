import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Fault } from '@nodewright/fault';
import { runsSupervisor } from '../domain/owned-process.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import { findClusterProcesses, readLivePid } from './cluster-processes.ts';
import type { LockPlace } from './lock-entry.ts';
import type { OwnerSocket } from './owner-socket.ts';
import { hasSocket, readSocketInodes } from './process-sockets.ts';
import { readAncestors } from './read-process.ts';
import { askLockOwner, holdSocketLock } from './socket-lock.ts';
import { writePrivateFile } from './write-private-file.ts';

/** The lock at which the supervisor or keeper of a cluster describes itself. */
export function supervisorLockOf(folder: ClusterFolder): LockPlace {
  return { folder: folder.path, name: 'supervisor' };
}

/**
 * Takes the lock that the supervisor or keeper of a cluster holds. Throws a Fault `already-exists` with the
 * pid of the process that has it.
 */
export async function holdSupervisorLock(
  folder: ClusterFolder,
  cluster: string,
  describe: () => object,
): Promise<OwnerSocket> {
  const place = supervisorLockOf(folder);
  const lock = await holdSocketLock(place, describe);
  const owner =
    lock === undefined ? ((await askLockOwner(place)) as { pid?: unknown } | undefined) : undefined;
  const earlier = findEarlierSupervisor(folder);
  if (lock !== undefined && earlier === undefined) return lock;
  await lock?.[Symbol.asyncDispose]();
  const pid = owner?.pid ?? earlier ?? 'unknown';
  throw new Fault('already-exists', `a supervisor already runs cluster "${cluster}" (pid ${pid})`);
}

/**
 * The pid of a supervisor of an earlier version, whose lock is an abstract socket. It is in the pid file, or has that socket: the
 * arguments of a process do not tell a supervisor from a program that runs one, nor from one that is about to end without the lock.
 */
function findEarlierSupervisor(folder: ClusterFolder): number | undefined {
  const recorded = readLivePid(folder, folder.supervisorPid);
  if (recorded !== undefined && recorded !== process.pid && !readAncestors().has(recorded)) return recorded;
  const inodes = readSocketInodes(earlierLockOf(folder));
  if (inodes.size === 0) return undefined;
  return findClusterProcesses(folder).find(({ pid, args }) => runsSupervisor(args) && hasSocket(pid, inodes))
    ?.pid;
}

function earlierLockOf({ path }: ClusterFolder): string {
  return `@nodewright/supervise/${createHash('sha256').update(path).digest('hex')}`;
}

/**
 * Writes the pid file and the lock file, for users and other commands. The socket, not these files, prevents
 * a second supervisor.
 */
export async function recordSupervisor(
  folder: ClusterFolder,
  scope: AsyncDisposableStack,
  facts: { readonly pid: number; readonly since: string; readonly cidr: string },
): Promise<void> {
  scope.defer(() => {
    try {
      rmSync(folder.supervisorPid, { force: true });
      rmSync(folder.supervisorLock, { force: true });
    } catch {
      // The folder may be unreadable. Other commands recognise the pid of a process that has ended.
    }
  });
  await writePrivateFile(folder.supervisorPid, `${facts.pid}\n`);
  await writePrivateFile(folder.supervisorLock, `${JSON.stringify(facts)}\n`);
}
