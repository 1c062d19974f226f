import type { EtcdKeyValue, KeyValues, TxnRequest, TxnResult } from './keys/key-value.ts';
import type { EtcdLease } from './lease/etcd-lease.ts';
import type { EtcdLock, LockOptions } from './lock/etcd-lock.ts';
import type { EtcdAlarm, EtcdDowngradeAction, EtcdStatus } from './maintenance/maintenance-types.ts';
import type { EtcdMember } from './members/etcd-member.ts';
import type { PrefixWatch, WatchOptions } from './watch/prefix-watch.ts';

/** Options of every unary call. */
export interface CallOptions {
  /** The deadline of the whole call, including all endpoints that are tried. */
  readonly timeoutMs?: number;
  /**
   * Cancels the call; it fails with a Fault `cancelled`. A request that was already sent may still take
   * effect.
   */
  readonly signal?: AbortSignal;
}

export interface ReadOptions extends CallOptions {
  /** Reads the local data of the member without a quorum, which may be stale. */
  readonly serializable?: boolean;
}

/**
 * A client of an etcd cluster. It connects at the first call and goes on to the next endpoint when one cannot
 * be reached. Calls that were certainly not sent are repeated there; reads are also repeated when the
 * connection was lost. Writes are never sent twice.
 * Every failure is an EtcdFault that names the endpoint, with a `reason` for known errors of etcd. Neither
 * faults nor spans contain keys or values. Each call is one span `etcd <service>/<method>`. Ids are as on the
 * wire; their text form is that of `etcdIdText`.
 */
export interface EtcdClient extends AsyncDisposable {
  /** The endpoints as they were given: `host:port`. */
  readonly endpoints: readonly string[];

  /** The members of the cluster. By default the local data of one member; linearizable requires a quorum. */
  members(options?: CallOptions & { readonly linearizable?: boolean }): Promise<EtcdMember[]>;
  /**
   * Adds a learner, a member without a vote. Reason `peer-url-exists` when a member already has one of the
   * URLs.
   */
  addLearner(
    peerUrls: readonly string[],
    options?: CallOptions,
  ): Promise<{ readonly member: EtcdMember; readonly members: EtcdMember[] }>;
  /**
   * Returns the remaining members. Reasons `member-not-found`, `unhealthy-cluster`,
   * `not-enough-started-members`.
   */
  removeMember(id: bigint, options?: CallOptions): Promise<EtcdMember[]>;
  /** Changes the peer URLs of a member. */
  updateMember(id: bigint, peerUrls: readonly string[], options?: CallOptions): Promise<EtcdMember[]>;
  /**
   * Promotes a learner to a voter. The learner itself answers with the reason `learner`, so it is sent to
   * another member. Other reasons: `learner-not-ready` (retry later), `not-a-learner`, `member-not-found`,
   * `unhealthy-cluster`.
   */
  promote(id: bigint, options?: CallOptions): Promise<EtcdMember[]>;

  /** The status of the member that answers; for a certain member, open a client with its endpoint only. */
  status(options?: CallOptions): Promise<EtcdStatus>;
  /** The alarms of all members. */
  alarms(options?: CallOptions): Promise<EtcdAlarm[]>;
  /** Clears one alarm, or all of them; returns the cleared alarms. */
  disarm(alarm?: EtcdAlarm, options?: CallOptions): Promise<EtcdAlarm[]>;
  /**
   * Defragments the member that answers, which blocks all of its other calls. Default timeout: 10 minutes.
   */
  defragment(options?: CallOptions): Promise<void>;
  /** Only the leader accepts it; other members answer with the reason `not-leader`. */
  moveLeader(id: bigint, options?: CallOptions): Promise<void>;
  /**
   * The database of the member that answers, followed by its SHA-256 in the last 32 bytes. Fails with a Fault
   * `data-loss` when the stream ends too early.
   */
  snapshot(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Returns the version of the cluster. `version` has the form `3.6`; `cancel` ignores it. */
  downgrade(action: EtcdDowngradeAction, version: string, options?: CallOptions): Promise<string>;

  get(key: string, options?: ReadOptions): Promise<EtcdKeyValue | undefined>;
  /** All keys with the prefix, in order. */
  list(prefix: string, options?: ReadOptions): Promise<KeyValues>;
  /** Returns the revision of the write. With a lease, etcd deletes the key when the lease ends. */
  put(
    key: string,
    value: string | Uint8Array,
    options?: CallOptions & { readonly lease?: bigint },
  ): Promise<bigint>;
  /** Returns the number of deleted keys: 0 or 1. */
  delete(key: string, options?: CallOptions): Promise<bigint>;
  deletePrefix(prefix: string, options?: CallOptions): Promise<bigint>;
  /**
   * Executes the `success` operations if all comparisons hold, otherwise the `failure` operations, at one
   * revision.
   */
  txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult>;
  /** Compacts the history before a revision. */
  compact(revision: bigint, options?: CallOptions): Promise<void>;

  /** Creates a lease without keep-alive; returns its id. */
  createLease(ttlSeconds: number, options?: CallOptions): Promise<bigint>;
  /** Renews a lease once. Returns its time to live in seconds; 0 when it has ended. */
  keepLeaseAlive(id: bigint, options?: CallOptions): Promise<number>;
  /**
   * A lease with keep-alive. Disposing of it ends it and deletes its keys. It can also be lost: then its
   * signal aborts.
   */
  grantLease(ttlSeconds: number, options?: CallOptions): Promise<EtcdLease>;
  /**
   * Watches the keys with a prefix: first all of them, then the changes, without end. After a lost connection
   * it continues, at another endpoint if necessary, without missing or repeating a change. If etcd has
   * compacted the missed history, all keys are sent again. It ends without an error when the signal aborts.
   */
  watchPrefix(prefix: string, signal: AbortSignal, options?: WatchOptions): PrefixWatch;
  /**
   * Waits for the lock of that name, compatible with etcd's concurrency package. Disposing of the lock ends
   * its lease.
   */
  lock(name: string, options?: LockOptions): Promise<EtcdLock>;
}
