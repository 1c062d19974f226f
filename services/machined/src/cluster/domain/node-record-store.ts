import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';

/** A record as the store keeps it. */
export interface KeptRecord {
  readonly record: NodeRecord;
  /** The id of the record's lease; 0 when it has none. */
  readonly leaseId: bigint;
}

/**
 * The record of a control plane as it is kept until its etcd member is removed, so that no other node gets
 * its names and addresses while it does not live.
 */
export interface KeptControlPlane {
  readonly record: NodeRecord;
  /** The id of its etcd member, in hexadecimal. */
  readonly memberId: string;
}

/** The names and addresses that nodes of the cluster have, as far as they were read. */
export interface ListedNodes {
  readonly nodes: readonly NodeRecord[];
  /** The control planes, whether they live or not. */
  readonly controlPlanes: readonly KeptControlPlane[];
}

/** The records whose leases have not expired, by node id. */
export type KeptRecords = ReadonlyMap<string, KeptRecord>;

/**
 * The store in which the control planes keep the records of all nodes. A call that fails throws a Fault:
 * `unavailable` or `deadline-exceeded` while the cluster has no quorum. Disposing the store cancels its
 * calls; it may be disposed twice.
 */
export interface NodeRecordStore extends AsyncDisposable {
  /**
   * Yields all records on which the cluster agrees, first at once and then after every change. Ends when
   * `signal` aborts.
   */
  follow(signal: AbortSignal): AsyncIterable<KeptRecords>;
  /** Writes a record under a new lease, which expires unless it is kept alive. Returns the id of the lease. */
  write(record: NodeRecord, leaseSeconds: number): Promise<bigint>;
  /** Renews a lease. Returns false when the lease does not exist or has expired. */
  keepAlive(leaseId: bigint): Promise<boolean>;
  /** Removes a record; does nothing when there is none. */
  remove(nodeId: string): Promise<void>;
  /** Like `follow`, for the control planes, whether they live or not. */
  followControlPlanes(signal: AbortSignal): AsyncIterable<readonly KeptControlPlane[]>;
  /** Keeps a control plane without a lease. Returns false, and keeps nothing, when etcd has no such member. */
  keepControlPlane(controlPlane: KeptControlPlane): Promise<boolean>;
  /** Stops keeping a control plane; does nothing when it is not kept. */
  removeControlPlane(memberId: string): Promise<void>;
  /** Stops keeping those of these control planes of which etcd has no member any more. Returns the ids of their members. */
  removeFormerControlPlanes(memberIds: readonly string[]): Promise<readonly string[]>;
}
