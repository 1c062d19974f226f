import { setImmediate as turn } from 'node:timers/promises';
import {
  beginPlan,
  createPlan,
  followRollouts,
  isSettled,
  type PlanRequest,
  planFromBytes,
  type RolloutPlan,
  requestPlan,
} from '@nodewright/rollout';
import { SeededRandom } from '../../fuzz/seeded-random.ts';
import { SimulatedActions } from './simulated-actions.ts';
import { SimulatedCluster, type SimulatedNode } from './simulated-cluster.ts';
import { SimulatedEtcd } from './simulated-etcd.ts';

export interface RolloutSimulationInit {
  /** Determines everything. */
  readonly seed: number;
  /** Lets drivers believe that every node is well, to show that the simulation notices. */
  readonly looksAway?: boolean;
  readonly onStep?: (text: string) => void;
}

export interface RolloutResult {
  /** What is wrong; `undefined` when nothing is. */
  readonly problem: string | undefined;
  /** The phase at the end; `waits` for a plan that says what it waits for. */
  readonly end: string;
}

const limitMs = 600_000;
/** What a driver has seen is at most this old when a node begins: the longest way of a request, and of what it was decided on. */
const staleMs = 120_000;

/** Runs a roll-out through random crashes, partitions, slow nodes, failures and requests of people, until it ends or waits. */
export async function simulateRollout(init: RolloutSimulationInit): Promise<RolloutResult> {
  return new RolloutSimulation(init).run();
}

class RolloutSimulation {
  readonly #random: SeededRandom;
  readonly #cluster: SimulatedCluster;
  readonly #etcd: SimulatedEtcd;
  readonly #actions: SimulatedActions;
  readonly #looksAway: boolean;
  readonly #problems: string[] = [];
  readonly #maxUnavailable: number;
  readonly #end = new AbortController();
  readonly #faultsEndMs: number;
  readonly #changedMs = new Map<string, number>();
  #plans = 0;
  /** When the plan was running last: a node that was told to begin just before a pause may not know of the pause. */
  #lastRunningMs = 0;
  #seen: { readonly stored: unknown; readonly isRunning: boolean } | undefined;

  constructor({ seed, looksAway = false, onStep = () => {} }: RolloutSimulationInit) {
    const random = new SeededRandom(seed);
    this.#random = random;
    this.#looksAway = looksAway;
    const controlPlanes = random.pick([1, 3, 3, 3, 5]);
    this.#cluster = new SimulatedCluster(random, controlPlanes, random.below(5), onStep);
    this.#etcd = new SimulatedEtcd(this.#cluster);
    this.#maxUnavailable = random.pick([1, 1, 2, 3]);
    this.#faultsEndMs = this.#cluster.between(60_000, 1_800_000);
    this.#actions = new SimulatedActions({
      ...{ cluster: this.#cluster, etcd: this.#etcd, failurePercent: random.pick([0, 0, 5, 20]) },
      onBegin: (plan, node) => this.#checkBegin(plan, node),
    });
  }

  async run(): Promise<RolloutResult> {
    const cluster = this.#cluster;
    for (const node of cluster.controlPlanes) this.#live(node);
    for (const node of cluster.nodes.filter(({ role }) => role === 'worker')) this.#live(node);
    void this.#begin(cluster.controlPlanes[0]);
    this.#scheduleFaults();
    const endMs = this.#faultsEndMs + 4 * 3_600_000;
    let isOver = false;
    let checkMs = this.#faultsEndMs;
    while (!isOver && this.#problems.length === 0 && cluster.nowMs < endMs) {
      await turn();
      cluster.observe();
      this.#observePhase();
      if (!cluster.timers.step(endMs)) break;
      if (cluster.nowMs < checkMs) continue;
      checkMs = cluster.nowMs + 30_000;
      isOver = this.#hasEnded();
    }
    const result = this.#result();
    this.#end.abort();
    for (const node of cluster.nodes) node.life.abort();
    return result;
  }

  get #plan(): RolloutPlan | undefined {
    const stored = this.#etcd.stored;
    if (stored === undefined) return undefined;
    const result = planFromBytes(stored.bytes);
    if (result.kind === 'plan') return result.plan;
    this.#problems.push(result.reason);
    return undefined;
  }

  /** Settled, or waiting for the same thing since longer than a node may act. */
  #hasEnded(): boolean {
    const { nowMs } = this.#cluster;
    const plan = this.#plan;
    if (plan === undefined || isSettled(plan)) return true;
    const state = JSON.stringify([
      plan.phase,
      plan.waitsFor,
      plan.nodes.map(({ progress, attempt }) => [progress.state, attempt]),
    ]);
    const sinceMs = this.#changedMs.get(state) ?? nowMs;
    if (!this.#changedMs.has(state)) {
      this.#changedMs.clear();
      this.#changedMs.set(state, nowMs);
    }
    return nowMs - sinceMs > limitMs + 300_000;
  }

  #result(): RolloutResult {
    const plan = this.#plan;
    const problems = [...this.#problems];
    if (plan === undefined) return { problem: problems[0], end: 'none' };
    const cluster = this.#cluster;
    const byName = new Map(cluster.nodes.map((node) => [node.name, node]));
    for (const { name, attempt, progress } of plan.nodes) {
      const action = byName.get(name)?.action;
      const isDone = action?.id === plan.id && action.attempt === attempt && action.state === 'done';
      if (progress.state === 'done' && !isDone)
        problems.push(`${name} is done in the plan, and has not acted`);
      const hasBegun = action?.id === plan.id && action.attempt === attempt && action.state !== 'withdrawn';
      if (progress.state === 'waiting' && hasBegun) problems.push(`${name} has acted without its turn`);
    }
    if (isSettled(plan)) return { problem: problems[0], end: plan.phase };
    if (!cluster.controlPlanes.some((node) => cluster.hasQuorum(node)))
      return { problem: problems[0], end: 'no quorum' };
    for (const { name, attempt, progress } of plan.nodes) {
      const node = byName.get(name);
      const hasBegun = node?.action?.id === plan.id && node.action.attempt === attempt;
      if (progress.state === 'acting' && node !== undefined && (hasBegun || cluster.isOff(node)))
        problems.push(`${name} has acted for longer than its time, and has not failed`);
    }
    // It must name a node that is really not well, because nothing else keeps it from going on.
    const ill = cluster.nodes.filter((node) => cluster.illness(node) !== undefined);
    if (!ill.some(({ name }) => plan.waitsFor.includes(name)))
      problems.push(
        `the plan is ${plan.phase} and waits for "${plan.waitsFor}", not for ${ill.map(({ name }) => name)}`,
      );
    return { problem: problems[0], end: 'waits' };
  }

  /** At each moment. */
  #observePhase(): void {
    const { stored } = this.#etcd;
    if (this.#seen === undefined || this.#seen.stored !== stored)
      this.#seen = { stored, isRunning: this.#plan?.phase === 'running' };
    if (this.#seen.isRunning) this.#lastRunningMs = this.#cluster.nowMs;
  }

  /** At each moment in which a node begins to act. */
  #checkBegin(plan: RolloutPlan, node: SimulatedNode): void {
    const cluster = this.#cluster;
    const acting = cluster.nodes.filter(({ isActing }) => isActing);
    const text = `${node.name} begins`;
    if (acting.length > this.#maxUnavailable)
      this.#problems.push(`${text} while ${acting.length - 1} others act: ${acting.map(({ name }) => name)}`);
    if (acting.filter(({ role }) => role === 'control-plane').length > 1)
      this.#problems.push(`${text} while another control plane acts`);
    const ill = cluster.nodes.filter(
      ({ illSinceMs }) => illSinceMs !== undefined && cluster.nowMs - illSinceMs > staleMs,
    );
    const others = new Set([...ill, ...acting].filter((one) => one !== node));
    if (others.size + 1 > this.#maxUnavailable || [...others].some(({ role }) => role === 'control-plane'))
      this.#problems.push(`${text} while others are not well: ${[...others].map(({ name }) => name)}`);
    if (node.role === 'worker') {
      const left = plan.nodes.filter((one) => one.role === 'control-plane' && one.progress.state !== 'done');
      if (left.length > 0) this.#problems.push(`${text} before ${left.map(({ name }) => name)}`);
    }
    if (this.#plan?.phase !== 'running' && cluster.nowMs - this.#lastRunningMs > staleMs)
      this.#problems.push(`${text} although the plan is ${this.#plan?.phase}`);
  }

  /** Starts the programs of a node, and again after each crash. */
  #live(node: SimulatedNode): void {
    const { timers } = this.#cluster;
    if (node.life.signal.aborted) node.life = new AbortController();
    const { signal } = node.life;
    signal.addEventListener(
      'abort',
      () => {
        if (this.#end.signal.aborted || !Number.isFinite(node.offUntilMs)) return;
        const wake = () => {
          const leftMs = node.offUntilMs - timers.now();
          if (leftMs > 0) timers.after(leftMs, wake);
          else this.#live(node);
        };
        timers.after(node.offUntilMs - timers.now(), wake);
      },
      { once: true },
    );
    if (node.role === 'worker') return;
    void followRollouts(
      {
        store: this.#etcd.storeOf(node),
        cluster: {
          look: async (plan, own) => {
            const facts = await this.#actions.look(node, plan, own);
            if (!this.#looksAway) return facts;
            return new Map([...facts].map(([name, one]) => [name, { ...one, wellness: { isWell: true } }]));
          },
        },
        actions: this.#actions.actionsOf(node),
        timers,
        takeTurn: (own) => this.#etcd.takeTurn(node, own),
        report: (event) => {
          if (event.kind === 'trouble') this.#cluster.note(`${node.name}: ${event.reason}`);
          else if (event.step.kind === 'wait')
            this.#cluster.note(`${node.name} waits for ${event.step.reason}`);
          else this.#cluster.note(`${node.name}: ${JSON.stringify(event.step)}`);
        },
      },
      signal,
    );
  }

  async #begin(from: SimulatedNode | undefined): Promise<void> {
    if (from === undefined) return;
    this.#plans += 1;
    const made = createPlan({
      id: this.#plans.toString(16).padStart(32, '0'),
      action: `upgrade ${this.#plans}`,
      nodes: this.#cluster.nodes.toReversed().map(({ name, role }) => ({ name, role })),
      maxUnavailable: this.#maxUnavailable,
      pauseAfter: this.#random.pick([0, 0, 0, 1, 2]),
      limitMs,
    });
    if (made.kind === 'refused') throw new Error(made.reason);
    const result = await beginPlan(this.#etcd.storeOf(from), made.plan, from.life.signal).catch(
      () => undefined,
    );
    this.#cluster.note(`${from.name} wants a new plan: ${result?.kind}`);
  }

  async #request(from: SimulatedNode, request: PlanRequest): Promise<void> {
    const store = this.#etcd.storeOf(from);
    const result = await requestPlan(store, request, from.life.signal).catch(() => undefined);
    this.#cluster.note(`${from.name} wants to ${request}: ${result?.kind}`);
  }

  #scheduleFaults(): void {
    const cluster = this.#cluster;
    const { timers } = cluster;
    const percent = this.#random.pick([0, 30, 60]);
    const next = () => {
      if (cluster.nowMs >= this.#faultsEndMs) return;
      if (cluster.chance(percent)) this.#fault();
      if (cluster.chance(10)) this.#ask();
      timers.after(cluster.between(5_000, 180_000), next);
    };
    timers.after(1_000, next);
    const heal = () => {
      for (const node of cluster.nodes) {
        node.side = 0;
        node.slowness = 1;
      }
      // Somebody looks after a plan that has paused or stopped.
      const from = cluster.controlPlanes[0];
      if (from !== undefined && cluster.chance(50)) void this.#request(from, 'resume');
    };
    timers.after(this.#faultsEndMs, heal);
  }

  #ask(): void {
    const from = this.#random.pick(this.#cluster.controlPlanes);
    const wish = this.#random.pick(['pause', 'resume', 'resume', 'resume', 'abort', 'begin'] as const);
    if (wish === 'begin') void this.#begin(from);
    else void this.#request(from, wish);
  }

  #fault(): void {
    const cluster = this.#cluster;
    const node = this.#random.pick(cluster.nodes);
    const forMs = cluster.between(1_000, 300_000);
    switch (this.#random.below(8)) {
      case 0:
        cluster.crash(node, cluster.chance(10) ? Number.POSITIVE_INFINITY : forMs);
        return;
      case 1:
      case 2:
        cluster.crash(node, forMs);
        return;
      case 3:
      case 4:
      case 5: {
        const cut = cluster.nodes.filter(() => cluster.chance(40));
        cluster.note(`cut off for ${Math.round(forMs / 1000)} s: ${cut.map(({ name }) => name)}`);
        for (const one of cut) one.side = 1;
        cluster.timers.after(forMs, () => {
          for (const one of cut) one.side = 0;
        });
        return;
      }
      default:
        cluster.note(`${node.name} is slow for ${Math.round(forMs / 1000)} s`);
        node.slowness = cluster.random.pick([5, 20, 100]);
        cluster.timers.after(forMs, () => {
          node.slowness = 1;
        });
    }
  }
}
