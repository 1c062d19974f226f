// Nodes that act when the plan lets them: they drain, restart, and are well again, or are not.
import { pauseBy } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import {
  type ActionState,
  type ClusterFacts,
  isGranted,
  type NodeActions,
  type NodeFacts,
  type PlannedNode,
  planFromBytes,
  type RolloutPlan,
} from '@nodewright/rollout';
import type { SimulatedCluster, SimulatedNode } from './simulated-cluster.ts';
import type { SimulatedEtcd } from './simulated-etcd.ts';

/** What becomes of a node that acts. */
type Fate = 'well' | 'goes back' | 'never ready' | 'refuses';

export interface SimulatedActionsInit {
  readonly cluster: SimulatedCluster;
  readonly etcd: SimulatedEtcd;
  /** How many percent of the acts do not end well. */
  readonly failurePercent: number;
  /** Called when a node begins to act. */
  readonly onBegin: (plan: RolloutPlan, node: SimulatedNode) => void;
}

export class SimulatedActions {
  readonly #init: SimulatedActionsInit;

  constructor(init: SimulatedActionsInit) {
    this.#init = init;
  }

  /** The port of a driver on `from`. */
  actionsOf(from: SimulatedNode): NodeActions {
    const { cluster } = this.#init;
    const send = async (name: string, signal: AbortSignal, arrive: (to: SimulatedNode) => Promise<void>) => {
      const to = cluster.nodes.find((node) => node.name === name);
      if (to === undefined) throw new Fault('not-found', `no node ${name}`);
      if (cluster.chance(5)) {
        // A request that is late takes effect although its sender has given up.
        cluster.timers.after(cluster.between(5_000, 60_000), () => {
          if (!cluster.isOff(to)) arrive(to).catch(() => {});
        });
        throw new Fault('deadline-exceeded', `${name} did not answer in time`);
      }
      await cluster.travel(from, signal);
      if (!cluster.reaches(from, to)) throw new Fault('unavailable', `${name} does not answer`);
      await arrive(to);
      if (cluster.chance(5)) throw new Fault('unavailable', `the answer of ${name} was lost`);
    };
    return {
      start: (plan, node, signal) => send(node.name, signal, (to) => this.#start(to, plan, node)),
      withdraw: (plan, { name, attempt }, signal) =>
        send(name, signal, async (to) => {
          if (!isSame(to, plan.id, attempt)) to.action = { id: plan.id, attempt, state: 'withdrawn' };
        }),
    };
  }

  /** What a driver on `from` sees. */
  async look(from: SimulatedNode, plan: RolloutPlan, signal: AbortSignal): Promise<ClusterFacts> {
    const { cluster } = this.#init;
    await cluster.travel(from, signal);
    const facts = new Map(cluster.nodes.map((node) => [node.name, this.#factsOf(from, node, plan)] as const));
    if (cluster.chance(50)) await cluster.travel(from, signal);
    return facts;
  }

  #factsOf(from: SimulatedNode, node: SimulatedNode, plan: RolloutPlan): NodeFacts {
    const { cluster } = this.#init;
    const { role } = node;
    if (!cluster.reaches(from, node))
      return { role, wellness: { isWell: false, reason: 'does not answer' }, action: { kind: 'unknown' } };
    const reason = cluster.illness(node);
    const planned = plan.nodes.find(({ name }) => name === node.name);
    return {
      role,
      wellness: reason === undefined ? { isWell: true } : { isWell: false, reason },
      action: planned === undefined ? { kind: 'unknown' } : actionState(node, plan.id, planned.attempt),
    };
  }

  async #start(node: SimulatedNode, { id }: RolloutPlan, { name, attempt }: PlannedNode): Promise<void> {
    const { cluster, etcd } = this.#init;
    if (isSame(node, id, attempt)) return;
    const { signal } = node.life;
    const stored = await etcd.storeOf(node).read(signal);
    const result = stored && planFromBytes(stored.bytes);
    if (result?.kind !== 'plan' || !isGranted(result.plan, { id, name, attempt })) return;
    signal.throwIfAborted();
    // It is recorded on its disk before anything else happens.
    if (isSame(node, id, attempt) || node.isActing) return;
    node.action = { id, attempt, state: 'running' };
    node.isActing = true;
    cluster.note(`${name} begins`);
    this.#init.onBegin(result.plan, node);
    void this.#carryOut(node);
  }

  /** It goes on after each crash. */
  async #carryOut(node: SimulatedNode): Promise<void> {
    const { cluster, failurePercent } = this.#init;
    const never = new AbortController().signal;
    const wait = async (ms: number) => {
      await pauseBy(cluster.timers, ms, never);
      while (cluster.isOff(node) && Number.isFinite(node.offUntilMs))
        await pauseBy(cluster.timers, node.offUntilMs - cluster.nowMs, never);
      // One that never comes back does nothing any more.
      return Number.isFinite(node.offUntilMs);
    };
    const fate: Fate = cluster.chance(failurePercent)
      ? cluster.random.pick(['goes back', 'never ready', 'refuses'] as const)
      : 'well';
    const slowness = cluster.chance(10) ? 8 : 1;
    if (!(await wait(cluster.between(1_000, 40_000) * slowness))) return;
    if (fate !== 'refuses') {
      cluster.crash(node, cluster.between(5_000, 60_000) * slowness);
      if (!(await wait(cluster.between(1_000, 20_000)))) return;
    }
    cluster.note(`${node.name} has acted: ${fate}`);
    if (fate === 'never ready') return;
    node.isActing = false;
    if (node.action !== undefined)
      node.action = { ...node.action, state: fate === 'well' ? 'done' : 'failed' };
  }
}

const isSame = ({ action }: SimulatedNode, id: string, attempt: number) =>
  action?.id === id && action.attempt >= attempt;

function actionState({ action }: SimulatedNode, id: string, attempt: number): ActionState {
  if (action?.id !== id || action.attempt !== attempt) return { kind: 'not-begun' };
  return action.state === 'failed' ? { kind: 'failed', reason: 'it went back' } : { kind: action.state };
}
