import type { CallOptions } from '../etcd-client.ts';

/** A lease with keep-alive. */
export interface EtcdLease extends AsyncDisposable {
  readonly id: bigint;
  /** The time to live that the server granted, in seconds. */
  readonly ttlSeconds: number;
  /**
   * Aborts when the lease is over: it was ended, it expired, or no member has answered for its whole time.
   * The reason is a Fault. Its keys are then deleted or about to be.
   */
  readonly signal: AbortSignal;
  /**
   * How long the lease exists at least, in ms, if it is not ended: its time to live, counted from before the last request that a
   * member has answered. 0 or less when it may be over.
   */
  leftMs(): number;
  /** Revokes the lease and deletes its keys. A lease that is already over is not an error. */
  revoke(options?: CallOptions): Promise<void>;
}
