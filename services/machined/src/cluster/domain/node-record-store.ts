import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';

/** A record as it is kept. */
export interface KeptRecord {
  readonly record: NodeRecord;
  /** Of the lease that the record lives under; 0 when it has none. */
  readonly leaseId: bigint;
}

/** The records that live, by the ids of their nodes. */
export type KeptRecords = ReadonlyMap<string, KeptRecord>;

/**
 * The records of a cluster's nodes where the control planes keep them. Every call throws a Fault when it cannot be done,
 * `unavailable` or `deadline-exceeded` while the cluster has no quorum; whoever disposes the store ends its calls, and may do so twice.
 */
export interface NodeRecordStore extends AsyncDisposable {
  /** All records as the cluster agrees on them now, and again after every change. Ends when `signal` aborts. */
  follow(signal: AbortSignal): AsyncIterable<KeptRecords>;
  /** Writes a record under a lease of its own, which ends unless it is kept alive. Gives the id of the lease. */
  write(record: NodeRecord, leaseSeconds: number): Promise<bigint>;
  /** Lets a lease begin anew. False when there is no such lease (any more). */
  keepAlive(leaseId: bigint): Promise<boolean>;
  /** A record that is not there is no error. */
  remove(nodeId: string): Promise<void>;
}
