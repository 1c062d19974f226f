import type { EtcdKeyValue, KeyValues, TxnRequest, TxnResult } from './keys/key-value.ts';
import type { EtcdLease } from './lease/etcd-lease.ts';
import type { EtcdLock, LockOptions } from './lock/etcd-lock.ts';
import type { EtcdAlarm, EtcdDowngradeAction, EtcdStatus } from './maintenance/maintenance-types.ts';
import type { EtcdMember } from './members/etcd-member.ts';
import type { PrefixWatch, WatchOptions } from './watch/prefix-watch.ts';

/** Of every call that is answered once. */
export interface CallOptions {
  /** For the whole call, all endpoints that are tried included. */
  readonly timeoutMs?: number;
  /** Gives the call up; it fails with a Fault `cancelled`. What was sent may still be done. */
  readonly signal?: AbortSignal;
}

export interface ReadOptions extends CallOptions {
  /** What the asked member knows, without a word with the others: answers without a quorum, and may be old. */
  readonly serializable?: boolean;
}

/**
 * A client of an etcd cluster. It connects at the first call, and goes from an endpoint that cannot be reached to the
 * next: any call that was surely not sent, and reading ones also when they were lost on the way. What changes something
 * is never sent twice.
 *
 * Every failure is an EtcdFault that names the endpoint, with a `reason` where etcd has a word for it. Neither faults
 * nor spans tell keys or values. Each call is one span `etcd <service>/<method>`. Ids are as on the wire; their text
 * form is that of `etcdIdText`.
 */
export interface EtcdClient extends AsyncDisposable {
  /** As they were given: `host:port`. */
  readonly endpoints: readonly string[];

  /** Who belongs to the cluster. Default is what the asked member knows; linearizable needs a quorum. */
  members(options?: CallOptions & { readonly linearizable?: boolean }): Promise<EtcdMember[]>;
  /** Adds a member that does not vote. Reason `peer-url-exists` where some member has one of the URLs already. */
  addLearner(
    peerUrls: readonly string[],
    options?: CallOptions,
  ): Promise<{ readonly member: EtcdMember; readonly members: EtcdMember[] }>;
  /** Yields who is left. Reasons `member-not-found`, `unhealthy-cluster`, `not-enough-started-members`. */
  removeMember(id: bigint, options?: CallOptions): Promise<EtcdMember[]>;
  /** Changes where a member is reached by the others. */
  updateMember(id: bigint, peerUrls: readonly string[], options?: CallOptions): Promise<EtcdMember[]>;
  /**
   * Makes a voter of a learner. It is to be sent to another member than the learner, which answers `learner`. Reasons
   * `learner-not-ready` (to be tried again), `not-a-learner`, `member-not-found`, `unhealthy-cluster`.
   */
  promote(id: bigint, options?: CallOptions): Promise<EtcdMember[]>;

  /** How the member that answers is; to ask a certain one, open a client with its endpoint alone. */
  status(options?: CallOptions): Promise<EtcdStatus>;
  /** The alarms of all members. */
  alarms(options?: CallOptions): Promise<EtcdAlarm[]>;
  /** Lowers one alarm, or without one all of them; yields those that were lowered. */
  disarm(alarm?: EtcdAlarm, options?: CallOptions): Promise<EtcdAlarm[]>;
  /** Of the member that answers, which answers nothing else meanwhile. Default time is 10 minutes. */
  defragment(options?: CallOptions): Promise<void>;
  /** Only the leader does it; others answer with the reason `not-leader`. */
  moveLeader(id: bigint, options?: CallOptions): Promise<void>;
  /**
   * The database of the member that answers, with the SHA-256 of it as the last 32 bytes. Fails with a Fault
   * `data-loss` where the stream ends too early.
   */
  snapshot(signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Yields the version of the cluster. `version` is `3.5`; it is not looked at for `cancel`. */
  downgrade(action: EtcdDowngradeAction, version: string, options?: CallOptions): Promise<string>;

  get(key: string, options?: ReadOptions): Promise<EtcdKeyValue | undefined>;
  /** All keys that begin with the prefix, by key. */
  list(prefix: string, options?: ReadOptions): Promise<KeyValues>;
  /** Yields the revision of the write. With a lease the key goes when the lease ends. */
  put(
    key: string,
    value: string | Uint8Array,
    options?: CallOptions & { readonly lease?: bigint },
  ): Promise<bigint>;
  /** Yields how many keys there were: 0 or 1. */
  delete(key: string, options?: CallOptions): Promise<bigint>;
  deletePrefix(prefix: string, options?: CallOptions): Promise<bigint>;
  /** If all comparisons hold does one list of operations, or the other, at one revision. */
  txn(request: TxnRequest, options?: CallOptions): Promise<TxnResult>;
  /** Forgets what was before a revision. */
  compact(revision: bigint, options?: CallOptions): Promise<void>;

  /** Makes a lease that nobody renews; yields its id. */
  createLease(ttlSeconds: number, options?: CallOptions): Promise<bigint>;
  /** Starts the time of a lease anew, once. Yields the seconds it has from now on; 0 where it is over. */
  keepLeaseAlive(id: bigint, options?: CallOptions): Promise<number>;
  /**
   * A lease that is kept alive until it is disposed of, which ends it and deletes its keys. It can be lost: its signal
   * says so.
   */
  grantLease(ttlSeconds: number, options?: CallOptions): Promise<EtcdLease>;
  /**
   * Follows the keys that begin with a prefix: first everything, then the changes, for ever. A connection that is lost is
   * taken up again, at another endpoint where need be, without a change lost or told twice; where etcd has forgotten
   * what was missed everything comes anew. Ends without an error when the signal is aborted.
   */
  watchPrefix(prefix: string, signal: AbortSignal, options?: WatchOptions): PrefixWatch;
  /**
   * Waits until nobody else holds the lock of that name, as every client of etcd's concurrency package does. Disposing of
   * it ends its lease.
   */
  lock(name: string, options?: LockOptions): Promise<EtcdLock>;
}
