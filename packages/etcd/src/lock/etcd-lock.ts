import type { EtcdLease } from '../lease/etcd-lease.ts';

export interface LockOptions {
  /** How long the lock outlives a holder that has died. Default 60 s. Source: Talos v1.14: etcd session of locks. */
  readonly ttlSeconds?: number;
  /** Gives the waiting up: it fails with a Fault `cancelled`, and nothing is left in etcd. */
  readonly signal?: AbortSignal;
}

/** A lock that is held until it is disposed of, or its lease is lost. */
export interface EtcdLock extends AsyncDisposable {
  /** The key that stands for it: name, `/` and the id of the lease in hex. */
  readonly key: string;
  readonly lease: EtcdLease;
  /** That of the lease: aborted when the lock is not held any more. */
  readonly signal: AbortSignal;
}
