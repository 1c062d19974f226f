import { Fault } from '@nodewright/fault';
import { abstractSocketFor, askOwner, holdOwnerSocket, type OwnerSocket } from './owner-socket.ts';

/**
 * Takes the lock that every command holds while it changes a cluster. Throws a Fault `aborted` with the pid
 * of the holder when another command has the lock.
 */
export async function lockCluster(folder: string, name: string): Promise<OwnerSocket> {
  const where = abstractSocketFor('change', folder);
  const lock = await holdOwnerSocket(where, () => ({ pid: process.pid }));
  if (lock !== undefined) return lock;
  const owner = await askOwner(where);
  const pid = typeof owner === 'object' && owner !== null && 'pid' in owner ? ` (pid ${owner.pid})` : '';
  throw new Fault('aborted', `another command${pid} is changing cluster "${name}": wait for it to end`);
}
