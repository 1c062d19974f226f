import { ChangeSignal, pause } from '@nodewright/async';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { checkReport } from '../domain/check-report.ts';
import { recordText } from '../domain/node-record.ts';
import type { KeptControlPlane, KeptRecords, NodeRecordStore } from '../domain/node-record-store.ts';
import { LinkReports } from './link-reports.ts';
import { heartbeatMs, type LinkTiming, RetryPauses } from './link-timing.ts';
import type { NodeRegistry } from './node-registry.ts';
import { inOwnTrace, outsideOfSpans, untraced } from './traces.ts';

export interface EtcdLinkInit {
  readonly registry: NodeRegistry;
  /** Opens the records of the cluster; rejects while etcd cannot be reached. */
  readonly openStore: (signal: AbortSignal) => Promise<NodeRecordStore>;
  readonly timing: LinkTiming;
  /** Returns a number from 0 to below 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** How long to wait until a written record appears in the watched list, in ms. */
const seenTimeoutMs = 2000;

/**
 * Connects a control plane to the records of its cluster until `signal` aborts: follows the records of all
 * nodes, and keeps its own record and those of nodes that report to it. Reconnects after every failure.
 */
export function followEtcd(init: EtcdLinkInit, signal: AbortSignal): Promise<void> {
  return outsideOfSpans(() => follow(init, signal));
}

async function follow(init: EtcdLinkInit, signal: AbortSignal): Promise<void> {
  const pauses = new RetryPauses(init.timing, init.random);
  const reports = new LinkReports(init.log, 'etcd');
  const memory: Memory = { kept: undefined };
  const onUp = () => {
    pauses.reset();
    reports.isUp();
  };
  while (!signal.aborted) {
    try {
      await using store = await init.openStore(signal);
      await new EtcdSession(init, store, memory, onUp).run(signal);
    } catch (error) {
      if (!signal.aborted) reports.failed(error);
    }
    await pause(pauses.next(), signal);
  }
}

/** State that outlives a connection. */
interface Memory {
  /** The node id of the record that this node may have in etcd. It is removed when the node leaves the cluster. */
  kept: string | undefined;
}

/** One connection to etcd, from its opening to its first failure. */
class EtcdSession {
  readonly #init: EtcdLinkInit;
  readonly #store: NodeRecordStore;
  readonly #memory: Memory;
  readonly #onUp: () => void;
  readonly #changed = new ChangeSignal();
  #kept: KeptRecords = new Map();
  #controlPlanes: readonly KeptControlPlane[] = [];

  constructor(init: EtcdLinkInit, store: NodeRecordStore, memory: Memory, onUp: () => void) {
    this.#init = init;
    this.#store = store;
    this.#memory = memory;
    this.#onUp = onUp;
  }

  async run(outer: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([outer, stop.signal]);
    const [first, firstNames] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const list = untraced(this.#init.telemetry, () => this.#follow(signal, first.resolve));
    const names = untraced(this.#init.telemetry, () => this.#followControlPlanes(signal, firstNames.resolve));
    const known = Promise.all([first.promise, firstNames.promise]);
    const work = [list, names, known.then(() => this.#serve(signal))];
    try {
      // A watch that ends by itself is a failure as well.
      await Promise.race([Promise.all(work), ...work]);
    } finally {
      first.resolve();
      firstNames.resolve();
      stop.abort();
      // Disposing the store cancels calls that hang because etcd has no quorum.
      await this.#store[Symbol.asyncDispose]();
      await Promise.allSettled(work);
    }
  }

  async #follow(signal: AbortSignal, onFirst: () => void): Promise<void> {
    for await (const kept of this.#store.follow(signal)) {
      this.#kept = kept;
      this.#init.registry.setNodes([...kept.values()].map(({ record }) => record));
      this.#changed.notify();
      onFirst();
    }
    if (!signal.aborted) throw new Fault('unavailable', 'the watch of the node records ended');
  }

  async #followControlPlanes(signal: AbortSignal, onFirst: () => void): Promise<void> {
    for await (const controlPlanes of this.#store.followControlPlanes(signal)) {
      this.#controlPlanes = controlPlanes;
      this.#init.registry.setControlPlanes(controlPlanes);
      onFirst();
    }
    if (!signal.aborted) throw new Fault('unavailable', 'the watch of the control planes ended');
  }

  async #serve(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { registry, timing, random, telemetry } = this.#init;
    using _reports = registry.openReports(async ({ node, callerAddress, isLeaving }, callSignal) => {
      const known = [...this.#kept.values()].map(({ record }) => record);
      const virtual = registry.virtualAddresses();
      const controlPlanes = this.#controlPlanes;
      const refusal = checkReport({ node, callerAddress, known, controlPlanes, virtual });
      if (refusal !== undefined) throw refusal;
      const ends = AbortSignal.any([signal, callSignal]);
      await (isLeaving
        ? this.#remove((node as NodeRecord).nodeId, ends)
        : this.#keep(node as NodeRecord, ends));
    });
    let published: NodeRecord | undefined;
    let isTidy = false;
    while (!signal.aborted) {
      const own = registry.own();
      const publish = async () => {
        if (own !== undefined) {
          this.#memory.kept = own.nodeId;
          await this.#keep(own, signal);
          await this.#keepNames(own);
        } else {
          await this.#releaseNames();
          if (this.#memory.kept !== undefined) await this.#remove(this.#memory.kept, signal);
          this.#memory.kept = undefined;
        }
      };
      await (own === published
        ? untraced(telemetry, publish)
        : inOwnTrace(telemetry, 'report node record', publish));
      published = own;
      this.#onUp();
      if (own !== undefined && !isTidy) {
        isTidy = true;
        await untraced(telemetry, () => this.#releaseFormerNames());
      }
      if (registry.own() !== own) continue;
      // Up to a tenth earlier, so that nodes that started together do not send their heartbeats together.
      const restMs = heartbeatMs(timing) * (1 - random() / 10);
      using wait = abortable(signal);
      await Promise.race([pause(restMs, wait.signal), registry.nextOwn(wait.signal)]);
    }
  }

  /** Writes a record if it is new or has changed; otherwise only renews its lease. */
  async #keep(record: NodeRecord, signal: AbortSignal): Promise<void> {
    const kept = this.#kept.get(record.nodeId);
    const isSame = kept !== undefined && recordText(kept.record) === recordText(record);
    if (isSame && kept.leaseId !== 0n && (await this.#store.keepAlive(kept.leaseId))) return;
    const leaseId = await this.#store.write(record, this.#init.timing.leaseSeconds);
    await this.#listed(() => this.#kept.get(record.nodeId)?.leaseId === leaseId, signal);
  }

  /** Keeps the names of this node for the time when it does not live, as long as it is a member of etcd. */
  async #keepNames(own: NodeRecord): Promise<void> {
    const { registry } = this.#init;
    const memberId = registry.memberId();
    if (memberId === undefined || registry.leaving() !== undefined) return;
    const mine = this.#controlPlanes.filter(({ record }) => record.nodeId === own.nodeId);
    const current = mine.find((each) => each.memberId === memberId);
    if (current === undefined || recordText(current.record) !== recordText(own))
      await this.#store.keepControlPlane({ record: own, memberId });
    // Of members that this node was before.
    for (const former of mine) {
      if (former !== current) await this.#store.removeControlPlane(former.memberId);
    }
  }

  /** Does nothing unless this node is being reset: one that is only stopped keeps its names. */
  async #releaseNames(): Promise<void> {
    const leaving = this.#init.registry.leaving();
    for (const { record, memberId } of this.#controlPlanes) {
      if (record.nodeId === leaving) await this.#store.removeControlPlane(memberId);
    }
  }

  /**
   * Once per connection. A removal that failed may have left the key of its member, and a snapshot has the keys of the cluster that
   * it was made from.
   */
  async #releaseFormerNames(): Promise<void> {
    const { log } = this.#init;
    const kept = this.#controlPlanes.map(({ memberId }) => memberId);
    if (kept.length === 0) return;
    try {
      const former = await this.#store.removeFormerControlPlanes(kept);
      if (former.length > 0)
        log.info({ members: former }, 'freed the names of control planes that left etcd');
    } catch (error) {
      // The next connection tries again. This one serves reports all the same.
      log.debug({ error: faultFrom(error).message }, 'names of former control planes not freed');
    }
  }

  async #remove(nodeId: string, signal: AbortSignal): Promise<void> {
    await this.#store.remove(nodeId);
    await this.#listed(() => !this.#kept.has(nodeId), signal);
  }

  /**
   * Waits until the watched list shows a write. The next report then gets a current list, and nothing is
   * written twice.
   */
  async #listed(isSo: () => boolean, outer: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([outer, AbortSignal.timeout(seenTimeoutMs)]);
    while (!signal.aborted && !isSo()) await this.#changed.next(signal);
  }
}

function abortable(outer: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  return { signal: AbortSignal.any([outer, stop.signal]), [Symbol.dispose]: () => stop.abort() };
}
