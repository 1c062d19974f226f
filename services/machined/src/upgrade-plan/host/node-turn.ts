// The turn of those who make a node unavailable, as the key of a lock in etcd. It stays while its holder restarts.
import { pauseBy, type Timers } from '@nodewright/async';
import type { EtcdClient, EtcdLease } from '@nodewright/etcd';
import { rolloutTurnName } from '@nodewright/rollout';
import { shortReason } from '../domain/node-plan.ts';

export interface NodeTurns {
  /**
   * Waits for the turn. What other plans of this node have left of theirs is removed first: one plan of a node runs at a time.
   *
   * @param waits gets the name of the holder whenever it changes
   * @throws the reason of the signal when it aborts; Fault when etcd does not answer at first
   */
  take(plan: string, waits: (holder: string) => void, signal: AbortSignal): Promise<HeldTurn>;
  /**
   * Goes on with a turn that the same plan had before a restart; `undefined` when it has none.
   *
   * @throws Fault when etcd does not answer
   */
  adopt(plan: string, signal: AbortSignal): Promise<HeldTurn | undefined>;
}

export interface HeldTurn {
  /** Whether it is held at this moment. It is lost when etcd did not answer for its time to live. */
  isHeld(): boolean;
  /** Gives it back. When etcd does not answer it ends by itself. Never rejects. */
  give(): Promise<void>;
  /** Lets go of the connection, and leaves the turn to the next start. */
  leave(): Promise<void>;
}

export interface NodeTurnsInit {
  readonly openEtcd: () => Promise<EtcdClient>;
  readonly hostname: () => string;
  readonly timers: Timers;
}

/**
 * How long the turn stays when its holder is away, in seconds: longer than a trial. A node that never comes back keeps the others
 * from their turns so long.
 */
export const turnTtlSeconds = 900;
const timeoutMs = 5_000;
const pollMs = 2_000;

export function createNodeTurns({ openEtcd, hostname, timers }: NodeTurnsInit): NodeTurns {
  const keyValueOf = (plan: string) => `${hostname()} ${plan}`;
  return {
    async take(plan, waits, signal) {
      await using scope = new AsyncDisposableStack();
      const etcd = scope.use(await openEtcd());
      for (const { key, value } of await queueOf(etcd, signal))
        if (value.startsWith(`${hostname()} `) && value !== keyValueOf(plan))
          await removeKey(etcd, { key, value }, signal);
      const over = new AbortController();
      const following = followHolder({ etcd, timers, own: keyValueOf(plan), waits }, over.signal);
      try {
        const lock = await etcd.lock(rolloutTurnName, {
          ...{ ttlSeconds: turnTtlSeconds, value: keyValueOf(plan), signal },
        });
        return held(lock.key, lock.lease, etcd, scope.move());
      } finally {
        over.abort();
        await following;
      }
    },
    async adopt(plan, signal) {
      await using scope = new AsyncDisposableStack();
      const etcd = scope.use(await openEtcd());
      const value = keyValueOf(plan);
      const queue = await queueOf(etcd, signal);
      const index = queue.findIndex((one) => one.value === value);
      const found = queue[index];
      if (found === undefined) return undefined;
      const { key } = found;
      if (index > 0) {
        // It was still waiting: nobody waits with this key any more, and a later one would wait behind it.
        await removeKey(etcd, found, signal);
        return undefined;
      }
      const lease = await etcd.grantLease(turnTtlSeconds, { timeoutMs, signal });
      let isMoved = false;
      try {
        // The key keeps its place in the queue: etcd goes by when it was created.
        const success = [{ kind: 'put' as const, key, value, lease: lease.id }];
        isMoved = (await etcd.txn({ compare: [{ key, value }], success }, { timeoutMs, signal })).succeeded;
      } finally {
        if (!isMoved) await lease[Symbol.asyncDispose]();
      }
      return isMoved ? held(key, lease, etcd, scope.move()) : undefined;
    },
  };
}

/** Removes a key of the queue that still has this value. */
async function removeKey(
  etcd: EtcdClient,
  { key, value }: { readonly key: string; readonly value: string },
  signal: AbortSignal,
): Promise<void> {
  const change = { compare: [{ key, value }], success: [{ kind: 'delete', key } as const] };
  await etcd.txn(change, { timeoutMs, signal });
}

/** The keys of those who have the turn or wait for it, the holder first. */
async function queueOf(etcd: EtcdClient, signal: AbortSignal) {
  const { keyValues } = await etcd.list(`${rolloutTurnName}/`, { timeoutMs, signal });
  return [...keyValues]
    .sort((a, b) => Number(a.createRevision - b.createRevision))
    .map(({ key, value }) => ({ key, value: Buffer.from(value).toString() }));
}

function held(key: string, lease: EtcdLease, etcd: EtcdClient, scope: AsyncDisposableStack): HeldTurn {
  return {
    isHeld: () => !lease.signal.aborted,
    async give() {
      // A lease of before a restart may still have the key: it is deleted by its name.
      await etcd.delete(key, { timeoutMs }).catch(() => {});
      await lease[Symbol.asyncDispose]();
      await scope.disposeAsync();
    },
    leave: () => scope.disposeAsync(),
  };
}

interface FollowHolderInit {
  readonly etcd: EtcdClient;
  readonly timers: Timers;
  readonly own: string;
  readonly waits: (holder: string) => void;
}

/** Looks who has the turn until the signal aborts. It never rejects. */
async function followHolder({ etcd, timers, own, waits }: FollowHolderInit, signal: AbortSignal) {
  let last: string | undefined;
  while (!signal.aborted) {
    try {
      const value = (await queueOf(etcd, signal))[0]?.value ?? '';
      const holder = holderOf(value);
      if (value !== '' && value !== own && holder !== last && !signal.aborted) {
        last = holder;
        waits(holder);
      }
    } catch {
      // etcd says it the next time, or the lock fails.
    }
    await pauseBy(timers, pollMs, signal);
  }
}

/** The node in the value of a key of the lock, in a form that may be shown. */
export function holderOf(value: string): string {
  const [name = ''] = shortReason(value).split(' ');
  return name.slice(0, 253) || 'a node without a name';
}
