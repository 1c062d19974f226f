import { pauseBy } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { PlanStore, StoredPlan, Turn } from '@nodewright/rollout';
import type { SimulatedCluster, SimulatedNode } from './simulated-cluster.ts';

const leaseMs = 30_000;
const callTimeoutMs = 5_000;
const lockTimeoutMs = 60_000;

interface Holder {
  readonly key: string;
  expiresAtMs: number;
}

/** One key and one lock, which a client reaches as long as its node reaches a majority of the control planes. */
export class SimulatedEtcd {
  readonly #cluster: SimulatedCluster;
  #stored: StoredPlan | undefined;
  #revision = 0n;
  #queue: Holder[] = [];
  #locks = 0;

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  /** What a majority has, without any call. */
  get stored(): StoredPlan | undefined {
    return this.#stored;
  }

  storeOf(node: SimulatedNode): PlanStore {
    return {
      read: (signal) => this.#call(node, signal, () => this.#stored),
      write: (bytes, { revision, turn }, signal) =>
        this.#call(node, signal, () => {
          if ((this.#stored?.revision ?? 0n) !== revision) return false;
          if (turn !== undefined && !this.#holders().some(({ key }) => key === turn.key)) return false;
          this.#revision += 1n;
          this.#stored = { bytes, revision: this.#revision };
          return true;
        }),
      remove: (revision, signal) =>
        this.#call(node, signal, () => {
          if (this.#stored?.revision !== revision) return false;
          this.#stored = undefined;
          return true;
        }),
    };
  }

  /** Waits for the lock, and keeps its lease as long as the node lives. */
  async takeTurn(node: SimulatedNode, signal: AbortSignal): Promise<Turn> {
    const { timers } = this.#cluster;
    this.#locks += 1;
    const key = `turn/${this.#locks}`;
    let heldUntilMs = timers.now() + leaseMs;
    const end = new AbortController();
    const living = AbortSignal.any([signal, end.signal]);
    await this.#call(node, living, () => this.#queue.push({ key, expiresAtMs: timers.now() + leaseMs }));
    const isHeld = () => !living.aborted && timers.now() < heldUntilMs;
    const keep = async () => {
      while (isHeld()) {
        await pauseBy(timers, leaseMs / 3, living);
        const sentMs = timers.now();
        const isKept = await this.#call(node, living, () => this.#renew(key)).catch(() => undefined);
        if (isKept) heldUntilMs = sentMs + leaseMs;
        if (isKept === false) heldUntilMs = 0;
      }
    };
    void keep();
    const release = async () => {
      end.abort();
      // A node that is off releases nothing: its lease ends.
      const remove = () => {
        this.#queue = this.#queue.filter((holder) => holder.key !== key);
      };
      await this.#call(node, node.life.signal, remove).catch(() => {});
    };
    const endMs = timers.now() + lockTimeoutMs;
    while (this.#holders()[0]?.key !== key || !this.#cluster.hasQuorum(node)) {
      if (timers.now() >= endMs || !isHeld()) {
        await release();
        throw new Fault('deadline-exceeded', 'the lock is not available');
      }
      await pauseBy(timers, 2_000, living);
    }
    return { key, isHeld, [Symbol.asyncDispose]: release };
  }

  #holders(): readonly Holder[] {
    this.#queue = this.#queue.filter(({ expiresAtMs }) => expiresAtMs > this.#cluster.nowMs);
    return this.#queue;
  }

  #renew(key: string): boolean {
    const holder = this.#holders().find((one) => one.key === key);
    if (holder !== undefined) holder.expiresAtMs = this.#cluster.nowMs + leaseMs;
    return holder !== undefined;
  }

  /** A call takes effect when it arrives, which may be after its client has given up. Its answer may be lost. */
  async #call<T>(node: SimulatedNode, signal: AbortSignal, effect: () => T): Promise<T> {
    const cluster = this.#cluster;
    signal.throwIfAborted();
    const sentMs = cluster.nowMs;
    if (cluster.chance(1)) {
      cluster.timers.after(cluster.between(callTimeoutMs, 60_000), () => {
        if (cluster.hasQuorum(node)) effect();
      });
      await pauseBy(cluster.timers, callTimeoutMs, signal);
      throw new Fault('deadline-exceeded', 'etcd did not answer in time');
    }
    await cluster.travel(node, signal);
    if (!cluster.hasQuorum(node)) {
      await pauseBy(cluster.timers, callTimeoutMs, signal);
      throw new Fault('unavailable', 'etcd has no leader');
    }
    const result = effect();
    if (cluster.chance(50)) await cluster.travel(node, signal);
    if (!cluster.hasQuorum(node) || cluster.nowMs - sentMs > 4 * callTimeoutMs || cluster.chance(1))
      throw new Fault('deadline-exceeded', 'the answer of etcd was lost');
    return result;
  }
}
