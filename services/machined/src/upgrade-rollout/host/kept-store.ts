import type { Timers } from '@nodewright/async';
import type { EtcdClient } from '@nodewright/etcd';
import { createEtcdPlanStore, type PlanStore } from '@nodewright/rollout';
import { rolloutLimits } from '../domain/rollout-limits.ts';

interface Connection {
  readonly etcd: Promise<EtcdClient>;
  readonly sinceMs: number;
  /** Calls that go on. */
  users: number;
}

/**
 * The plan in etcd, over a connection that stays open between reads. Another one replaces it after a call that failed, and after its time;
 * the old one closes when its last call has ended. Disposing of the store closes all of them.
 */
export function openKeptStore(
  openEtcd: () => Promise<EtcdClient>,
  timers: Timers,
): PlanStore & AsyncDisposable {
  const open = new Set<Connection>();
  let kept: Connection | undefined;
  const close = async (connection: Connection) => {
    if (open.delete(connection))
      await (await connection.etcd.catch(() => undefined))?.[Symbol.asyncDispose]();
  };
  const connect = (): Connection => {
    const connection: Connection = { etcd: openEtcd(), sinceMs: timers.monotonicMs(), users: 0 };
    open.add(connection);
    return connection;
  };
  const replace = async (connection: Connection) => {
    if (kept === connection) kept = undefined;
    if (connection.users === 0) await close(connection);
  };
  const use = async <T>(signal: AbortSignal, act: (store: PlanStore) => Promise<T>): Promise<T> => {
    if (kept !== undefined && timers.monotonicMs() - kept.sinceMs >= rolloutLimits.connectionMs)
      await replace(kept);
    kept ??= connect();
    const current = kept;
    current.users += 1;
    let isUsable = true;
    try {
      return await act(createEtcdPlanStore(await current.etcd));
    } catch (error) {
      // A caller that leaves says nothing about the connection.
      isUsable = signal.aborted;
      throw error;
    } finally {
      current.users -= 1;
      if (!isUsable || kept !== current) await replace(current);
    }
  };
  return {
    read: (signal) => use(signal, (store) => store.read(signal)),
    write: (bytes, expected, signal) => use(signal, (store) => store.write(bytes, expected, signal)),
    remove: (revision, signal) => use(signal, (store) => store.remove(revision, signal)),
    async [Symbol.asyncDispose]() {
      kept = undefined;
      await Promise.all([...open].map(close));
    },
  };
}
