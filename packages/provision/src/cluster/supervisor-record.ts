import { rmSync } from 'node:fs';
import { Fault } from '@nodewright/fault';
import type { ClusterFolder } from './cluster-folder.ts';
import { readLivePid } from './cluster-processes.ts';
import { abstractSocketFor, askOwner, holdOwnerSocket, type OwnerSocket } from './owner-socket.ts';
import { writePrivateFile } from './write-private-file.ts';

/** Where whoever keeps the cluster in `folder` running says what it is. */
export function supervisorSocket(folder: ClusterFolder) {
  return abstractSocketFor('supervise', folder.path);
}

/** Held by whoever keeps a cluster running. Throws a Fault `already-exists` that names the one who does. */
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

/** For people and for other commands; the socket above is what really keeps a second supervisor out. */
export async function recordSupervisor(
  folder: ClusterFolder,
  scope: AsyncDisposableStack,
  facts: { readonly pid: number; readonly since: string; readonly cidr: string },
): Promise<void> {
  scope.defer(() => {
    rmSync(folder.supervisorPid, { force: true });
    rmSync(folder.supervisorLock, { force: true });
  });
  await writePrivateFile(folder.supervisorPid, `${facts.pid}\n`);
  await writePrivateFile(folder.supervisorLock, `${JSON.stringify(facts)}\n`);
}
