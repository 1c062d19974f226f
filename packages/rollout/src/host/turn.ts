import type { EtcdClient } from '@nodewright/etcd';

/** A lock that allows its holder to make something unavailable. Disposing of it gives the turn back. */
export interface Turn extends AsyncDisposable {
  /** The key of the holder in etcd, which exists as long as the turn is held. */
  readonly key: string;
  /** Whether the lock is held at this moment. A lock is lost when etcd did not answer for its time to live. */
  isHeld(): boolean;
}

export interface TakeTurnInit {
  /** The prefix of the keys that queue for the lock. */
  readonly name: string;
  /** Name of the node that asks, for people who wonder who holds the lock. Default: empty. */
  readonly holder?: string;
  /** How long the lock stays when its holder has died; by default that of `EtcdClient.lock()`. */
  readonly ttlSeconds?: number;
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal;
}

/**
 * Waits for the lock of that name. The client must live longer than the turn.
 *
 * @throws Fault as `EtcdClient.lock()` does
 */
export async function takeTurn(
  etcd: Pick<EtcdClient, 'lock'>,
  { name, holder, ttlSeconds, signal }: TakeTurnInit,
): Promise<Turn> {
  const lock = await etcd.lock(name, {
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    ...(holder === undefined ? {} : { value: holder }),
    signal,
  });
  return {
    key: lock.key,
    isHeld: () => !lock.signal.aborted,
    [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose](),
  };
}
