import type { CallOptions } from '../etcd-client.ts';

/** A lease that is kept alive. */
export interface EtcdLease extends AsyncDisposable {
  readonly id: bigint;
  /** As the server granted it. */
  readonly ttlSeconds: number;
  /**
   * Aborted when the lease is over: it was ended, it ran out, or no member has answered for its whole time; the reason is
   * a Fault. Keys that hang on it are gone then, or about to go.
   */
  readonly signal: AbortSignal;
  /** Ends it now, with its keys. No error where it is over already. */
  revoke(options?: CallOptions): Promise<void>;
}
