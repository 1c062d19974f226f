import { pause } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import type { Rollout, RolloutNode } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { type Fault, faultFrom } from '@nodewright/fault';
import { codecsOf } from '@nodewright/state';
import { upgradeSteps } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { followSpecs } from '../../dashboard/feed/follow-facts.ts';
import { plainError } from '../../render/plain-error.ts';
import { describeRollout, type KnownSteps, stepsOfPlan } from '../domain/describe-rollout.ts';
import { limits } from '../domain/limits.ts';
import { isRolloutOver, type RolloutProblem, type RolloutState } from '../protocol/rollout.ts';

export interface RolloutWatchInit {
  /** The nodes to ask, in order: control planes. */
  readonly asked: readonly NodeClient[];
  /** The node with that host name. */
  readonly node: (hostname: string) => NodeClient;
  readonly nowMs: () => number;
  readonly onRollout: (state: RolloutState) => void;
  readonly times?: RolloutTimes;
}

export interface RolloutTimes {
  /** Between two questions while nothing happens to a roll-out. */
  readonly idleMs: number;
  /** Before another node is asked. */
  readonly retryMs: number;
  /** Nodes that have no such call, or refuse it, are asked so often: an upgrade or another role may change that. */
  readonly refusedMs: number;
  /** A stream that says nothing for this time begins anew: its node may be gone. A driver writes more often while a node acts. */
  readonly silenceMs: number;
}

const usualTimes: RolloutTimes = { idleMs: 5000, retryMs: 1000, refusedMs: 60_000, silenceMs: 30_000 };
const codecs = codecsOf([upgradeSteps]);

/** Follows the upgrade of all nodes, and the steps of those nodes that have their turn, from the start of the program on. */
export class RolloutWatch implements Disposable {
  readonly #init: RolloutWatchInit;
  readonly #times: RolloutTimes;
  readonly #stop = new AbortController();
  #rollout: Rollout | null | undefined;
  #problem: RolloutProblem | undefined;
  #endedMs: number | undefined;
  /** By the plan of the attempt. */
  readonly #steps = new Map<string, KnownSteps>();
  readonly #follows = new Map<string, AbortController>();

  constructor(init: RolloutWatchInit) {
    this.#init = init;
    this.#times = init.times ?? usualTimes;
    void this.#run(this.#stop.signal);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    for (const follow of this.#follows.values()) follow.abort();
  }

  get state(): RolloutState {
    const plan = this.#rollout && describeRollout(this.#rollout, this.#steps);
    return { plan, problem: this.#problem, endedMs: this.#endedMs };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { asked } = this.#init;
    let failures: Fault[] = [];
    for (let round = 0; !signal.aborted && asked.length > 0; ) {
      const node = asked[round % asked.length] as NodeClient;
      try {
        await this.#follow(node, signal, () => {
          failures = [];
        });
        failures = [];
        await pause(this.#isIdle ? this.#times.idleMs : this.#times.retryMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        failures.push(faultFrom(error));
        round += 1;
        const areAll = failures.length >= asked.length;
        if (areAll) this.#fail(failures);
        const isRefused = areAll && this.#problem?.kind !== 'silent';
        if (areAll) failures = [];
        await pause(isRefused ? this.#times.refusedMs : this.#times.retryMs, signal);
      }
    }
  }

  /** Follows the roll-out through one node until its stream ends, or says nothing for long. @throws Fault */
  async #follow(node: NodeClient, signal: AbortSignal, onHeard: () => void): Promise<void> {
    const silence = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const listen = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), this.#times.silenceMs).unref();
    };
    let hasHeard = false;
    listen();
    try {
      const streams = AbortSignal.any([signal, silence.signal]);
      for await (const { rollout } of node.rollouts.watch({}, { signal: streams })) {
        if (signal.aborted) return;
        hasHeard = true;
        onHeard();
        listen();
        this.#take(rollout ?? null);
      }
    } catch (error) {
      // A node that has answered and says nothing more is asked again; one that has not is replaced.
      if (!(silence.signal.aborted && hasHeard)) throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  get #isIdle(): boolean {
    return this.#rollout === null || this.#rollout === undefined || this.#rollout.isSettled;
  }

  #take(rollout: Rollout | null): void {
    const before = this.#rollout;
    this.#rollout = rollout;
    this.#problem = undefined;
    if (before?.id !== rollout?.id) this.#endedMs = undefined;
    const wasSeen = before != null && before.id === rollout?.id && !isRolloutOver(before);
    if (rollout !== null && wasSeen && isRolloutOver(rollout)) this.#endedMs = this.#init.nowMs();
    this.#followSteps(rollout?.nodes ?? []);
    this.#tell();
  }

  #fail(failures: readonly Fault[]): void {
    const told = failures.find((fault) => kindOf(fault) !== 'silent') ?? (failures.at(-1) as Fault);
    const kind = kindOf(told);
    const message = plainError(told.message).slice(0, limits.rolloutTextLength);
    const before = this.#problem;
    if (before?.kind === kind && before.message === message) return;
    const sinceMs = before?.kind === kind ? before.sinceMs : this.#init.nowMs();
    this.#problem = { kind, message, sinceMs };
    this.#tell();
  }

  /** Follows the steps of nodes that act or have failed. */
  #followSteps(nodes: readonly RolloutNode[]): void {
    const wanted = new Map(
      nodes
        .filter(({ state, plan }) => plan !== '' && (state === 'acting' || state === 'failed'))
        .slice(0, limits.turnsFollowed)
        .map((node) => [node.plan, node]),
    );
    for (const [plan, follow] of this.#follows) {
      if (wanted.has(plan)) continue;
      follow.abort();
      this.#follows.delete(plan);
      this.#steps.delete(plan);
    }
    for (const [plan, { name }] of wanted) if (!this.#follows.has(plan)) this.#followNode(plan, name);
  }

  #followNode(plan: string, name: string): void {
    const follow = new AbortController();
    const { signal } = follow;
    this.#follows.set(plan, follow);
    const know = (known: KnownSteps) => {
      if (signal.aborted) return;
      this.#steps.set(plan, known);
      this.#tell();
    };
    const state = createStateClient({ client: this.#init.node(name).state, codecs });
    void followSpecs(
      signal,
      state,
      upgradeSteps,
      (listed) => {
        const steps = stepsOfPlan(plan, listed);
        // A node that has just started does not know its plan yet.
        if (steps.length > 0) know({ steps });
      },
      (message) => {
        const { steps = [] } = this.#steps.get(plan) ?? {};
        know({ steps, problem: message.slice(0, limits.rolloutTextLength) });
      },
    );
  }

  #tell(): void {
    if (!this.#stop.signal.aborted) this.#init.onRollout(this.state);
  }
}

/** What a failure means. Those that pass by themselves are silence. */
function kindOf({ kind, message }: Fault): RolloutProblem['kind'] {
  if (kind === 'unimplemented') return 'unsupported';
  if (kind === 'permission-denied' || kind === 'unauthenticated') return 'forbidden';
  if (kind !== 'failed-precondition') return 'silent';
  if (message.includes('is no control plane')) return 'elsewhere';
  return message.includes('talosctl upgrade abort') ? 'refused' : 'silent';
}
