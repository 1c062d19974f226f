// What people ask of roll-outs, on a control plane.
import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  beginOf,
  beginPlan,
  createPlan,
  isOver,
  isSettled,
  type PlanRequest,
  type PlanStore,
  type PreviewRow,
  planFromBytes,
  previewPlan,
  type RolloutPlan,
  requestPlan,
  unfinishedText,
} from '@nodewright/rollout';
import { type ClusterNode, sharedNames } from '../domain/cluster-nodes.ts';
import { rolloutAction, type WantedSystem } from '../domain/rollout-action.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import type { ClusterTurns } from './cluster-turns.ts';

export interface RequestedRolloutsInit {
  readonly store: PlanStore;
  readonly cluster: Pick<ClusterTurns, 'look' | 'preview'>;
  readonly nodes: () => Promise<readonly ClusterNode[]>;
  /** Brings the artefact into the store of this node, and returns its name with the digest. @throws Fault */
  readonly pull: (image: string, signal: AbortSignal) => Promise<string>;
  /** 32 random hexadecimal digits. */
  readonly randomId: () => string;
  readonly timers: Timers;
  /** Aborts when the node stops. */
  readonly stopSignal: AbortSignal;
}

export interface WantedRollout extends WantedSystem {
  /** 0: 1. */
  readonly maxUnavailable: number;
  /** 0: it does not pause. */
  readonly pauseAfter: number;
}

/** The plan in etcd, with what lies beside it. */
export interface FollowedPlan extends RolloutPlan {
  /** The node that drives it at this moment; undefined while none does. */
  readonly driver?: string | undefined;
  /** When it began, in Unix ms; undefined when that is not known. */
  readonly startedMs?: number | undefined;
}

export class RequestedRollouts {
  readonly #init: RequestedRolloutsInit;
  #watchers = 0;

  constructor(init: RequestedRolloutsInit) {
    this.#init = init;
  }

  /** What a roll-out would do. Nothing is written. @throws Fault `failed-precondition` for a cluster that can have none */
  async preview(
    wanted: WantedRollout,
    signal: AbortSignal,
  ): Promise<{ readonly plan: RolloutPlan; readonly rows: readonly PreviewRow[] }> {
    const nodes = await this.#init.nodes();
    const [shared] = sharedNames(nodes);
    if (shared !== undefined)
      throw new Fault('failed-precondition', `several nodes have the name ${shared}: give each its own`);
    const made = createPlan({
      ...{ id: this.#init.randomId(), action: rolloutAction(wanted), nodes, limitMs: rolloutLimits.nodeMs },
      ...{ maxUnavailable: wanted.maxUnavailable || 1, pauseAfter: wanted.pauseAfter },
    });
    if (made.kind === 'refused') throw new Fault('invalid-argument', made.reason);
    const facts = await this.#init.cluster.preview(made.plan, signal);
    return { plan: made.plan, rows: previewPlan(made.plan, facts) };
  }

  /**
   * Begins a roll-out.
   *
   * @throws Fault `failed-precondition` with the reason and what to do: another one is not over, the first node may not begin now, or a node
   * cannot have the artefact
   */
  async start(wanted: WantedRollout, signal: AbortSignal): Promise<RolloutPlan> {
    // Before the pull, which takes long.
    await this.#assertNone(signal);
    const image = await this.#init.pull(wanted.image, signal);
    const { plan, rows } = await this.preview({ ...wanted, image }, signal);
    const unable = rows.find(({ cannotAct }) => cannotAct !== undefined);
    if (unable !== undefined)
      throw new Fault(
        'failed-precondition',
        `the roll-out does not begin: ${unable.name} cannot act: ${unable.cannotAct}: mend that first; --dry-run shows all nodes`,
      );
    const [first] = rows;
    if (first?.refusedBy !== undefined)
      throw new Fault(
        'failed-precondition',
        `the roll-out does not begin: ${first.name} may not: ${first.refusedBy}: mend that first; --dry-run shows all nodes`,
      );
    const nowMs = this.#init.timers.now();
    const begun = await beginPlan(this.#init.store, plan, signal, nowMs);
    if (begun.kind === 'refused') throw refusedRollout(begun.reason);
    return begun.plan;
  }

  /** The plan in etcd; undefined before the first one. @throws Fault `failed-precondition` for one that is not valid */
  async status(signal: AbortSignal): Promise<FollowedPlan | undefined> {
    const stored = await this.#init.store.read(signal);
    if (stored === undefined) return undefined;
    const result = planFromBytes(stored.bytes);
    if (result.kind === 'plan')
      return { ...result.plan, driver: stored.driver, startedMs: beginOf(stored, result.plan) };
    throw new Fault('failed-precondition', `${result.reason}: "talosctl upgrade abort" removes it`);
  }

  /**
   * The plan, and again after each change, until it is settled.
   *
   * @throws Fault `resource-exhausted` with too many clients that follow, `unavailable` when this node stops
   */
  async *watch(signal: AbortSignal): AsyncGenerator<FollowedPlan | undefined> {
    if (this.#watchers >= rolloutLimits.watchers)
      throw new Fault(
        'resource-exhausted',
        `${rolloutLimits.watchers} clients follow the roll-out through this node: ask another control plane`,
      );
    this.#watchers += 1;
    const { stopSignal, timers } = this.#init;
    try {
      let last: string | undefined;
      while (!signal.aborted) {
        if (stopSignal.aborted) throw new Fault('unavailable', 'this node stops: ask another control plane');
        const plan = await this.status(AbortSignal.any([signal, stopSignal]));
        const text = JSON.stringify(plan ?? null);
        if (text !== last) yield plan;
        last = text;
        if (plan === undefined || isSettled(plan)) return;
        await pauseBy(timers, rolloutLimits.watchPollMs, signal);
      }
    } finally {
      this.#watchers -= 1;
    }
  }

  /**
   * Carries a request out.
   *
   * @param id the plan that is meant; empty: the one in etcd
   * @returns undefined when a plan that was not valid was removed
   * @throws Fault `failed-precondition` with the reason
   */
  async request(request: PlanRequest, id: string, signal: AbortSignal): Promise<RolloutPlan | undefined> {
    const { store } = this.#init;
    const stored = await store.read(signal);
    const before = stored && planFromBytes(stored.bytes);
    const result = await requestPlan(store, request, signal, id, this.#init.cluster.look);
    if (result.kind === 'plan') {
      // No driver looks at the nodes again, which would refuse other upgrades for another minute.
      if (isSettled(result.plan)) await this.#init.cluster.preview(result.plan, signal).catch(() => {});
      return result.plan;
    }
    const isRemoved =
      before?.kind === 'refused' && request === 'abort' && (await store.read(signal)) === undefined;
    if (isRemoved) return undefined;
    throw new Fault('failed-precondition', result.reason);
  }

  /** Why an upgrade of this node alone is refused; undefined when no roll-out runs, or etcd does not answer. */
  async problem(signal: AbortSignal): Promise<string | undefined> {
    try {
      const stored = await this.#init.store.read(signal);
      const result = stored && planFromBytes(stored.bytes);
      if (result?.kind !== 'plan' || isSettled(result.plan)) return undefined;
      return rolloutProblemText(result.plan.id);
    } catch (error) {
      signal.throwIfAborted();
      // The upgrade asks etcd itself, where it needs it.
      faultFrom(error);
      return undefined;
    }
  }

  async #assertNone(signal: AbortSignal): Promise<void> {
    const plan = await this.status(signal);
    if (plan !== undefined && !isOver(plan)) throw refusedRollout(unfinishedText(plan));
  }
}

const refusedRollout = (reason: string) =>
  new Fault(
    'failed-precondition',
    `${reason}: follow it with "talosctl upgrade status --watch", or end it with "talosctl upgrade abort"`,
  );

export const rolloutProblemText = (id: string): string =>
  `the roll-out ${id} upgrades all nodes: follow it with "talosctl upgrade status", or end it first with "talosctl upgrade abort"`;
