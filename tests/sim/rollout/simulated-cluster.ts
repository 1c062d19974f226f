// A cluster of nodes that crash, are cut off from each other and are slow, with an etcd that needs a majority of its control planes.
import { pauseBy } from '@nodewright/async';
import { FakeTimers } from '@nodewright/controllers/testing';
import type { NodeRole } from '@nodewright/rollout';
import type { SeededRandom } from '../../fuzz/seeded-random.ts';

/** What a node keeps over crashes about the attempt that it was last asked for. */
export interface KeptAction {
  readonly id: string;
  readonly attempt: number;
  readonly state: 'running' | 'done' | 'failed' | 'withdrawn';
}

export class SimulatedNode {
  readonly name: string;
  readonly role: NodeRole;
  /** Until when it is off; infinite for one that never comes back. */
  offUntilMs = 0;
  /** Nodes on different sides do not reach each other. */
  side = 0;
  /** How much longer each of its messages takes. */
  slowness = 1;
  /** Whether it was asked to act, and is not well since. */
  isActing = false;
  action: KeptAction | undefined;
  /** Since when it is not well, for whatever reason. */
  illSinceMs: number | undefined;
  /** The life of its programs: they end with each crash. */
  life = new AbortController();

  constructor(name: string, role: NodeRole) {
    this.name = name;
    this.role = role;
  }
}

export class SimulatedCluster {
  readonly timers = new FakeTimers(0);
  readonly random: SeededRandom;
  readonly nodes: readonly SimulatedNode[];
  readonly #onStep: (text: string) => void;

  constructor(random: SeededRandom, controlPlanes: number, workers: number, onStep: (text: string) => void) {
    this.random = random;
    this.nodes = Array.from(
      { length: controlPlanes + workers },
      (_, index) => new SimulatedNode(`node${index + 1}`, index < controlPlanes ? 'control-plane' : 'worker'),
    );
    this.#onStep = onStep;
  }

  get nowMs(): number {
    return this.timers.now();
  }

  get controlPlanes(): readonly SimulatedNode[] {
    return this.nodes.filter(({ role }) => role === 'control-plane');
  }

  note(text: string): void {
    this.#onStep(`${(this.nowMs / 1000).toFixed(1)} s: ${text}`);
  }

  /** True in `percent` of all cases. */
  chance(percent: number): boolean {
    return this.random.below(100) < percent;
  }

  between(least: number, most: number): number {
    return least + this.random.below(most - least + 1);
  }

  isOff(node: SimulatedNode): boolean {
    return node.offUntilMs > this.nowMs;
  }

  reaches(from: SimulatedNode, to: SimulatedNode): boolean {
    return !this.isOff(from) && !this.isOff(to) && (from === to || from.side === to.side);
  }

  hasQuorum(from: SimulatedNode): boolean {
    const { controlPlanes } = this;
    return controlPlanes.filter((member) => this.reaches(from, member)).length * 2 > controlPlanes.length;
  }

  /** Why a node is not well; `undefined` when it is. */
  illness(node: SimulatedNode): string | undefined {
    if (this.isOff(node)) return 'off';
    if (node.isActing) return 'acting';
    return node.role === 'control-plane' && !this.hasQuorum(node) ? 'no leader of etcd' : undefined;
  }

  /** Notes since when each node is not well. Called after each event. */
  observe(): void {
    for (const node of this.nodes) {
      if (this.illness(node) === undefined) node.illSinceMs = undefined;
      else node.illSinceMs ??= this.nowMs;
    }
  }

  /** A message of a node takes its time: mostly some milliseconds, now and then many seconds. */
  async travel(node: SimulatedNode, signal: AbortSignal): Promise<void> {
    const ms = this.chance(2) ? this.between(1_000, 8_000) : this.between(1, 100);
    await pauseBy(this.timers, ms * node.slowness, signal);
    signal.throwIfAborted();
  }

  /** Turns a node off, with all of its programs, and on again. */
  crash(node: SimulatedNode, forMs: number): void {
    if (node.offUntilMs === Number.POSITIVE_INFINITY) return;
    this.note(`${node.name} is off for ${Math.round(forMs / 1000)} s`);
    node.offUntilMs = Math.max(node.offUntilMs, this.nowMs + forMs);
    node.life.abort(new Error(`${node.name} is off`));
  }
}
