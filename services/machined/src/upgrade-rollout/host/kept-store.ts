import type { Timers } from '@nodewright/async';
import type { EtcdClient } from '@nodewright/etcd';
import { createEtcdPlanStore, type PlanStore } from '@nodewright/rollout';

/** How long a connection is used: certificates and members change. */
const longestMs = 600_000;

/** The plan in etcd, over a connection that stays open between reads. Disposing of it closes the connection. */
export function openKeptStore(
  openEtcd: () => Promise<EtcdClient>,
  timers: Timers,
): PlanStore & AsyncDisposable {
  let kept: { readonly etcd: Promise<EtcdClient>; readonly sinceMs: number } | undefined;
  const close = async () => {
    const { etcd } = kept ?? {};
    kept = undefined;
    await (await etcd?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };
  const use = async <T>(signal: AbortSignal, act: (store: PlanStore) => Promise<T>): Promise<T> => {
    if (kept !== undefined && timers.monotonicMs() - kept.sinceMs >= longestMs) await close();
    kept ??= { etcd: openEtcd(), sinceMs: timers.monotonicMs() };
    const current = kept;
    try {
      return await act(createEtcdPlanStore(await current.etcd));
    } catch (error) {
      // A caller that leaves says nothing about the connection.
      if (kept === current && !signal.aborted) await close();
      throw error;
    }
  };
  return {
    read: (signal) => use(signal, (store) => store.read(signal)),
    write: (bytes, expected, signal) => use(signal, (store) => store.write(bytes, expected, signal)),
    remove: (revision, signal) => use(signal, (store) => store.remove(revision, signal)),
    [Symbol.asyncDispose]: close,
  };
}
