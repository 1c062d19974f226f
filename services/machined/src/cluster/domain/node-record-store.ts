import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';

/** A record as the store keeps it. */
export interface KeptRecord {
  readonly record: NodeRecord;
  /** The id of the record's lease; 0 when it has none. */
  readonly leaseId: bigint;
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
}
