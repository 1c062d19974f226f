import { Fault } from '@nodewright/fault';
import { abstractSocketFor, askOwner, holdOwnerSocket, type OwnerSocket } from './owner-socket.ts';

/**
 * Held by whoever makes or removes a cluster, for as long as that takes. Throws a Fault `aborted` that names the
 * holder when someone else is at it.
 */
export async function lockCluster(folder: string, name: string): Promise<OwnerSocket> {
  const where = abstractSocketFor('change', folder);
  const lock = await holdOwnerSocket(where, () => ({ pid: process.pid }));
  if (lock !== undefined) return lock;
  const owner = await askOwner(where);
  const pid = typeof owner === 'object' && owner !== null && 'pid' in owner ? ` (pid ${owner.pid})` : '';
  throw new Fault(
    'aborted',
    `another command${pid} is creating or destroying cluster "${name}": wait for it to end`,
  );
}
