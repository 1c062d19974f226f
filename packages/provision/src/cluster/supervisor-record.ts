import { rmSync } from 'node:fs';
import { Fault } from '@nodewright/fault';
import type { ClusterFolder } from './cluster-folder.ts';
import { readLivePid } from './cluster-processes.ts';
import { abstractSocketFor, askOwner, holdOwnerSocket, type OwnerSocket } from './owner-socket.ts';
import { writePrivateFile } from './write-private-file.ts';

/** The address of the socket at which the supervisor or keeper of a cluster describes itself. */
export function supervisorSocket(folder: ClusterFolder) {
  return abstractSocketFor('supervise', folder.path);
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
  const where = supervisorSocket(folder);
  const lock = await holdOwnerSocket(where, describe);
  if (lock !== undefined) return lock;
  const owner = (await askOwner(where)) as { pid?: unknown } | undefined;
  const pid = owner?.pid ?? readLivePid(folder, folder.supervisorPid) ?? 'unknown';
  throw new Fault('already-exists', `a supervisor already runs cluster "${cluster}" (pid ${pid})`);
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
