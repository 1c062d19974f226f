import { ChangeSignal } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type {
  KeptControlPlane,
  KeptRecord,
  KeptRecords,
  NodeRecordStore,
} from '../../domain/node-record-store.ts';

/** The node records of a cluster of control planes, in the memory of a test. */
export class MemoryRecords implements Disposable {
  /** The number of writes so far. */
  writes = 0;
  /** The ids of the members of etcd. */
  readonly members = new Set<string>();
  #records: KeptRecords = new Map();
  #controlPlanes: readonly KeptControlPlane[] = [];
  #lastLease = 0n;
  #hasQuorum = true;
  readonly #leases = new Map<bigint, { readonly ttlMs: number; timer: NodeJS.Timeout }>();
  readonly #changed = new ChangeSignal();

  /** Without a quorum all reads and writes fail; lists that were read before stay valid. */
  set hasQuorum(hasQuorum: boolean) {
    this.#hasQuorum = hasQuorum;
    // A new leader renews all leases.
    if (hasQuorum) for (const leaseId of this.#leases.keys()) this.#begin(leaseId);
    this.#changed.notify();
  }

  /** Opens a connection of one control plane. */
  open(): NodeRecordStore {
    const closed = new AbortController();
    return {
      follow: (signal) => this.#followValue(() => this.#records, AbortSignal.any([signal, closed.signal])),
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
      followControlPlanes: (signal) =>
        this.#followValue(() => this.#controlPlanes, AbortSignal.any([signal, closed.signal])),
      keepControlPlane: async (kept) => {
        this.#assertQuorum();
        if (!this.members.has(kept.memberId)) return false;
        this.#setControlPlanes([...this.#without(kept.memberId), kept]);
        return true;
      },
      removeControlPlane: async (memberId) => {
        this.#assertQuorum();
        this.#setControlPlanes(this.#without(memberId));
      },
      removeFormerControlPlanes: async (memberIds) => {
        this.#assertQuorum();
        const former = memberIds.filter((each) => !this.members.has(each));
        this.#setControlPlanes(this.#controlPlanes.filter(({ memberId }) => !former.includes(memberId)));
        return former;
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
    // A lease expires only by a decision of the quorum.
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

  #without(memberId: string): KeptControlPlane[] {
    return this.#controlPlanes.filter((each) => each.memberId !== memberId);
  }

  #setControlPlanes(controlPlanes: readonly KeptControlPlane[]): void {
    this.#controlPlanes = controlPlanes;
    this.#changed.notify();
  }

  async *#followValue<T>(current: () => T, signal: AbortSignal): AsyncGenerator<T> {
    this.#assertQuorum();
    let sent: T | undefined;
    while (!signal.aborted) {
      if (sent !== current()) {
        sent = current();
        yield sent;
        continue;
      }
      await this.#changed.next(signal);
    }
  }
}
