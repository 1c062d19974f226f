import { ChangeSignal } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { KeptRecord, KeptRecords, NodeRecordStore } from '../../domain/node-record-store.ts';

/** Node records as a cluster of control planes keeps them, in the memory of one test. */
export class MemoryRecords implements Disposable {
  /** How many records were written so far. */
  writes = 0;
  #records: KeptRecords = new Map();
  #lastLease = 0n;
  #hasQuorum = true;
  readonly #leases = new Map<bigint, { readonly ttlMs: number; timer: NodeJS.Timeout }>();
  readonly #changed = new ChangeSignal();

  /** Without one nothing can be read or written; what was read stays where it is. */
  set hasQuorum(hasQuorum: boolean) {
    this.#hasQuorum = hasQuorum;
    // A new leader lets all leases begin anew.
    if (hasQuorum) for (const leaseId of this.#leases.keys()) this.#begin(leaseId);
    this.#changed.notify();
  }

  /** A connection of one control plane. */
  open(): NodeRecordStore {
    const closed = new AbortController();
    return {
      follow: (signal) => this.#follow(AbortSignal.any([signal, closed.signal])),
      write: async (record, leaseSeconds) => {
        this.#assertQuorum();
        this.#lastLease += 1n;
        const leaseId = this.#lastLease;
        this.#leases.set(leaseId, { ttlMs: leaseSeconds * 1000, timer: setTimeout(() => {}) });
        this.#begin(leaseId);
        this.writes += 1;
        this.#change((records) => records.set(record.nodeId, { record, leaseId }));
        return leaseId;
      },
      keepAlive: async (leaseId) => {
        this.#assertQuorum();
        return this.#begin(leaseId);
      },
      remove: async (nodeId) => {
        this.#assertQuorum();
        this.#change((records) => records.delete(nodeId));
      },
      [Symbol.asyncDispose]: async () => closed.abort(),
    };
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#leases.values()) clearTimeout(timer);
  }

  #begin(leaseId: bigint): boolean {
    const lease = this.#leases.get(leaseId);
    if (lease === undefined) return false;
    clearTimeout(lease.timer);
    lease.timer = setTimeout(() => this.#end(leaseId), lease.ttlMs);
    return true;
  }

  #end(leaseId: bigint): void {
    // Who is gone is decided by a quorum.
    if (!this.#hasQuorum) return;
    this.#leases.delete(leaseId);
    this.#change((records) => {
      for (const [nodeId, kept] of records) if (kept.leaseId === leaseId) records.delete(nodeId);
    });
  }

  #change(change: (records: Map<string, KeptRecord>) => void): void {
    const next = new Map(this.#records);
    change(next);
    this.#records = next;
    this.#changed.notify();
  }

  #assertQuorum(): void {
    if (!this.#hasQuorum) throw new Fault('unavailable', 'etcd has no quorum');
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<KeptRecords> {
    this.#assertQuorum();
    let told: KeptRecords | undefined;
    while (!signal.aborted) {
      if (told !== this.#records) {
        told = this.#records;
        yield told;
        continue;
      }
      await this.#changed.next(signal);
    }
  }
}
