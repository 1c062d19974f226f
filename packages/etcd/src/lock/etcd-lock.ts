import type { EtcdLease } from '../lease/etcd-lease.ts';

export interface LockOptions {
  /**
   * How long the lock stays when its holder has died. Default 60 s. Source: Talos v1.14: etcd session of
   * locks.
   */
  readonly ttlSeconds?: number;
  /** Value of the key of this client, such as its name in an election. Default: empty. */
  readonly value?: string;
  /** Cancels the wait: it fails with a Fault `cancelled`, and deletes its key in etcd. */
  readonly signal?: AbortSignal;
}

/** A lock that is held until it is disposed of, or its lease is lost. */
export interface EtcdLock extends AsyncDisposable {
  /** The key of this holder: the name, `/` and the lease id in hexadecimal. */
  readonly key: string;
  readonly lease: EtcdLease;
  /** The signal of the lease: it aborts when the lock is lost or released. */
  readonly signal: AbortSignal;
}
