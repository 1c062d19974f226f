import { ChangeSignal, pause } from '@nodewright/async';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { checkReport } from '../domain/check-report.ts';
import { recordText } from '../domain/node-record.ts';
import type { KeptRecords, NodeRecordStore } from '../domain/node-record-store.ts';
import { LinkReports } from './link-reports.ts';
import { heartbeatMs, type LinkTiming, RetryPauses } from './link-timing.ts';
import type { NodeRegistry } from './node-registry.ts';
import { inOwnTrace, outsideOfSpans, untraced } from './traces.ts';

export interface EtcdLinkInit {
  readonly registry: NodeRegistry;
  /** Rejects while nobody answers there. */
  readonly openStore: (signal: AbortSignal) => Promise<NodeRecordStore>;
  readonly timing: LinkTiming;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** How long a record that was written may take until it is seen in the list, in ms. */
const seenTimeoutMs = 2000;

/**
 * A control plane's place in the cluster: follows the records of all nodes, keeps its own and those of the nodes that
 * report to it, and begins anew after every failure until `signal` aborts.
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

/** What outlasts a connection. */
interface Memory {
  /** Which record of this node may be on the list: to be taken off it when there is to be none. */
  kept: string | undefined;
}

/** One connection, from its opening to its first failure. */
class EtcdSession {
  readonly #init: EtcdLinkInit;
  readonly #store: NodeRecordStore;
  readonly #memory: Memory;
  readonly #onUp: () => void;
  readonly #changed = new ChangeSignal();
  #kept: KeptRecords = new Map();

  constructor(init: EtcdLinkInit, store: NodeRecordStore, memory: Memory, onUp: () => void) {
    this.#init = init;
    this.#store = store;
    this.#memory = memory;
    this.#onUp = onUp;
  }

  async run(outer: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([outer, stop.signal]);
    const first = Promise.withResolvers<void>();
    const list = untraced(this.#init.telemetry, () => this.#follow(signal, first.resolve));
    const work = [list, first.promise.then(() => this.#serve(signal))];
    try {
      // A list that ends by itself is a failure as well.
      await Promise.race([Promise.all(work), ...work]);
    } finally {
      first.resolve();
      stop.abort();
      // Calls that an etcd without a quorum leaves hanging end with it.
      await this.#store[Symbol.asyncDispose]();
      await Promise.allSettled(work);
    }
  }

  async #follow(signal: AbortSignal, onFirst: () => void): Promise<void> {
    for await (const kept of this.#store.follow(signal)) {
      this.#kept = kept;
      this.#init.registry.learn([...kept.values()].map(({ record }) => record));
      this.#changed.notify();
      onFirst();
    }
    if (!signal.aborted) throw new Fault('unavailable', 'the list of nodes ended');
  }

  async #serve(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { registry, timing, random, telemetry } = this.#init;
    using _reports = registry.openReports(async ({ node, callerAddress, isLeaving }, callSignal) => {
      const known = [...this.#kept.values()].map(({ record }) => record);
      const virtual = registry.virtualAddresses();
      const refusal = checkReport({ node, callerAddress, known, virtual });
      if (refusal !== undefined) throw refusal;
      const ends = AbortSignal.any([signal, callSignal]);
      await (isLeaving
        ? this.#remove((node as NodeRecord).nodeId, ends)
        : this.#keep(node as NodeRecord, ends));
    });
    let told: NodeRecord | undefined;
    while (!signal.aborted) {
      const own = registry.own();
      const tell = async () => {
        if (own !== undefined) {
          this.#memory.kept = own.nodeId;
          await this.#keep(own, signal);
        } else if (this.#memory.kept !== undefined) {
          await this.#remove(this.#memory.kept, signal);
          this.#memory.kept = undefined;
        }
      };
      await (own === told ? untraced(telemetry, tell) : inOwnTrace(telemetry, 'tell node record', tell));
      told = own;
      this.#onUp();
      if (registry.own() !== own) continue;
      // Up to a tenth earlier, so that nodes that started together do not stay in step.
      const restMs = heartbeatMs(timing) * (1 - random() / 10);
      using wait = abortable(signal);
      await Promise.race([pause(restMs, wait.signal), registry.nextOwn(wait.signal)]);
    }
  }

  /** Writes a record that is new or another than the one that is kept; else only its lease begins anew. */
  async #keep(record: NodeRecord, signal: AbortSignal): Promise<void> {
    const kept = this.#kept.get(record.nodeId);
    const isSame = kept !== undefined && recordText(kept.record) === recordText(record);
    if (isSame && kept.leaseId !== 0n && (await this.#store.keepAlive(kept.leaseId))) return;
    const leaseId = await this.#store.write(record, this.#init.timing.leaseSeconds);
    await this.#listed(() => this.#kept.get(record.nodeId)?.leaseId === leaseId, signal);
  }

  async #remove(nodeId: string, signal: AbortSignal): Promise<void> {
    await this.#store.remove(nodeId);
    await this.#listed(() => !this.#kept.has(nodeId), signal);
  }

  /** Waits until the list has what was written: whoever asks next is told it, and nothing is written twice. */
  async #listed(isSo: () => boolean, outer: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([outer, AbortSignal.timeout(seenTimeoutMs)]);
    while (!signal.aborted && !isSo()) await this.#changed.next(signal);
  }
}

function abortable(outer: AbortSignal): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  return { signal: AbortSignal.any([outer, stop.signal]), [Symbol.dispose]: () => stop.abort() };
}
