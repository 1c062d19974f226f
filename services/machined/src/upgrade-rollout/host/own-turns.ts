// The turns of this node in a roll-out: it gets the artefact, and begins its upgrade when a control plane has just seen that it may.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Deadline, pauseBy, type Timers } from '@nodewright/async';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import type { NodeRole } from '@nodewright/rollout';
import type { OwnUpgrades } from '../../upgrade-calls/upgrade-calls-topic.ts';
import type { PlanState } from '../../upgrade-plan/upgrade-plan-topic.ts';
import { type NodeTurn, nodePlanIdOf } from '../domain/node-turn-id.ts';
import type { WantedSystem } from '../domain/rollout-action.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';

/** `unknown`: the record of this node cannot be read yet. */
export type TurnState = 'unknown' | 'not-begun' | 'preparing' | 'running' | 'done' | 'failed' | 'withdrawn';

export interface TurnProgress {
  readonly state: TurnState;
  /** What it does, or why it has failed; empty otherwise. */
  readonly reason: string;
}

export interface OwnTurnsInit {
  /** The host name of this node. */
  readonly hostname: () => string;
  /** The role of this node; undefined before it has a configuration. */
  readonly role: () => NodeRole | undefined;
  readonly own: OwnUpgrades;
  readonly current: () => PlanState;
  /** Why the plan in etcd does not grant the turn, as far as this node can read it; undefined when it does. @throws Fault */
  readonly grantProblem: (
    turn: NodeTurn,
    wanted: WantedSystem,
    signal: AbortSignal,
  ) => Promise<string | undefined>;
  readonly timers: Timers;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
}

/** What is known in memory of the turn that was asked for last. A restart forgets it, and the driver asks again. */
interface KnownTurn {
  readonly id: string;
  readonly turn: NodeTurn;
  readonly wanted: WantedSystem | undefined;
  phase: 'pulling' | 'ready' | 'beginning' | 'failed' | 'withdrawn';
  reason: string;
  /** With its digest, once it is there. */
  image: string;
  /** When the store was seen to have it last. */
  readyAtMs: number;
  ticket: Buffer | undefined;
  ticketAtMs: number;
  /** Since when the start is refused, and when it was refused last; undefined while it is not. */
  refused: { readonly sinceMs: number; readonly lastMs: number } | undefined;
  /** Ends the pull. */
  readonly over: AbortController;
}

/** Of faults that may pass by themselves. */
const passingKinds: readonly FaultKind[] = ['unavailable', 'deadline-exceeded', 'resource-exhausted'];

export class OwnTurns {
  readonly #init: OwnTurnsInit;
  #known: KnownTurn | undefined;
  #hold: { readonly rollout: string; readonly untilMs: number } | undefined;

  constructor(init: OwnTurnsInit) {
    this.#init = init;
  }

  /** Why other upgrades of this node are refused, as far as drivers have told; undefined when none is. */
  get holder(): string | undefined {
    if (this.#hold === undefined || this.#init.timers.monotonicMs() >= this.#hold.untilMs) return undefined;
    return this.#hold.rollout;
  }

  /**
   * @param keepsOthersAway whether this node refuses other upgrades for a while
   * @throws Fault `failed-precondition` when the turn is not one of this node
   */
  progress(turn: NodeTurn, keepsOthersAway: boolean): TurnProgress {
    this.#assertName(turn);
    const untilMs = this.#init.timers.monotonicMs() + rolloutLimits.holdMs;
    if (keepsOthersAway) this.#hold = { rollout: turn.rollout, untilMs };
    else if (this.#hold?.rollout === turn.rollout) this.#hold = undefined;
    return this.#progressOf(turn);
  }

  /**
   * Begins to get the artefact, once for each attempt, and again when the turn is late.
   *
   * @returns a ticket for `begin()` when it is there
   * @throws Fault `failed-precondition` when the turn is not one of this node, or a later one is known
   */
  prepare(turn: NodeTurn, wanted: WantedSystem): Buffer | undefined {
    this.#assertMine(turn);
    if (this.#progressOf(turn).state !== 'not-begun') return undefined;
    const known = this.#knownFor(turn, wanted);
    if (known.phase !== 'ready') return undefined;
    if (this.#init.timers.monotonicMs() - known.readyAtMs >= rolloutLimits.preparedMs) {
      known.phase = 'pulling';
      known.reason = '';
      void this.#pull(known, wanted);
      return undefined;
    }
    known.ticket = randomBytes(32);
    known.ticketAtMs = this.#init.timers.monotonicMs();
    return known.ticket;
  }

  /**
   * Begins the upgrade of this node, and resolves when it has begun.
   *
   * @throws Fault `failed-precondition` when the turn is not granted, the ticket is not valid, or the node refuses to begin now
   */
  async begin(turn: NodeTurn, ticket: Uint8Array, signal: AbortSignal): Promise<void> {
    this.#assertMine(turn);
    const { own, timers, grantProblem } = this.#init;
    const known = this.#known;
    const { wanted } = known ?? {};
    if (
      known === undefined ||
      wanted === undefined ||
      known.id !== nodePlanIdOf(turn) ||
      known.phase !== 'ready'
    )
      throw new Fault('failed-precondition', 'this turn is not prepared');
    const given = known.ticket;
    known.ticket = undefined;
    const isValid =
      given !== undefined && given.length === ticket.length && timingSafeEqual(given, Buffer.from(ticket));
    if (!isValid || timers.monotonicMs() - known.ticketAtMs > rolloutLimits.ticketMs)
      throw new Fault('failed-precondition', 'the ticket is not valid, or not any more');
    // Set before anything is waited for: from here on it is too late to withdraw.
    known.phase = 'beginning';
    try {
      const problem = await grantProblem(turn, wanted, signal);
      signal.throwIfAborted();
      if (problem !== undefined)
        throw new Fault('failed-precondition', `the turn is not granted: ${problem}`);
    } catch (error) {
      known.phase = 'ready';
      throw error;
    }
    try {
      await own.begin({ ...wanted, id: known.id, image: known.image }, signal);
      known.refused = undefined;
    } catch (error) {
      // A caller that leaves says nothing about this node.
      if (signal.aborted) known.phase = 'ready';
      else this.#refused(known, faultFrom(error).message);
      throw error;
    }
  }

  /** Makes a turn that has not begun never begin. @throws Fault as `progress()` */
  withdraw(turn: NodeTurn): TurnState {
    this.#assertName(turn);
    const { state } = this.#progressOf(turn);
    if (state !== 'not-begun' && state !== 'preparing') return state;
    if (this.#isLate(turn)) return 'withdrawn';
    this.#replace({ ...newTurn(turn, undefined), phase: 'withdrawn' });
    return 'withdrawn';
  }

  #progressOf(turn: NodeTurn): TurnProgress {
    const id = nodePlanIdOf(turn);
    const { plan, waitsFor } = this.#init.current();
    if (plan === 'unknown') return { state: 'unknown', reason: 'its disk is not mounted yet' };
    if (plan !== undefined && plan.id === id) {
      const { phase, step, reason } = plan;
      if (phase === 'done') return { state: 'done', reason: '' };
      if (phase === 'failed') return { state: 'failed', reason };
      return { state: 'running', reason: waitsFor === '' ? step : `${step}: ${waitsFor}` };
    }
    const known = this.#known;
    if (known === undefined || known.id !== id) return { state: 'not-begun', reason: '' };
    const { phase, reason } = known;
    if (phase === 'failed' || phase === 'withdrawn') return { state: phase, reason };
    if (phase === 'beginning') return { state: 'running', reason: 'it begins' };
    if (phase !== 'pulling') return { state: 'not-begun', reason };
    const again = reason === '' ? '' : ` again: ${reason}`;
    return { state: 'preparing', reason: `it gets the artefact${again}` };
  }

  #knownFor(turn: NodeTurn, wanted: WantedSystem): KnownTurn {
    const known = this.#known;
    if (known !== undefined && known.id === nodePlanIdOf(turn)) {
      if (JSON.stringify(known.wanted) !== JSON.stringify(wanted))
        throw new Fault('failed-precondition', 'this turn was prepared for another system');
      return known;
    }
    if (this.#isLate(turn)) throw new Fault('failed-precondition', 'a later attempt of this turn is known');
    const created = newTurn(turn, wanted);
    this.#replace(created);
    void this.#pull(created, wanted);
    return created;
  }

  /** Never rejects. */
  async #pull(known: KnownTurn, wanted: WantedSystem): Promise<void> {
    const { own, signal } = this.#init;
    using limit = Deadline.by(this.#init.timers, rolloutLimits.pullMs, signal, known.over.signal);
    try {
      if (own.refusal !== undefined) throw new Fault('failed-precondition', own.refusal);
      known.image = await this.#pullOften(known, wanted.image, limit.signal);
      if (known.phase !== 'pulling') return;
      known.phase = 'ready';
      known.readyAtMs = this.#init.timers.monotonicMs();
      known.reason = '';
    } catch (error) {
      if (known.phase !== 'pulling') return;
      known.phase = 'failed';
      known.reason = `the artefact: ${faultFrom(error).message}`;
    }
  }

  /** A registry that is away or busy for a moment must not stop the whole roll-out. */
  async #pullOften(known: KnownTurn, image: string, signal: AbortSignal): Promise<string> {
    const { own, timers } = this.#init;
    for (;;) {
      try {
        return await own.pull(image, signal);
      } catch (error) {
        const { kind, message } = faultFrom(error);
        if (signal.aborted || !passingKinds.includes(kind)) throw error;
        known.reason = message;
      }
      await pauseBy(timers, rolloutLimits.pullPauseMs, signal);
      if (signal.aborted) throw new Fault('deadline-exceeded', known.reason);
    }
  }

  /** etcd may refuse for a moment, such as while another node is checked. */
  #refused(known: KnownTurn, reason: string): void {
    const nowMs = this.#init.timers.monotonicMs();
    const { refused } = known;
    // Without a try meanwhile nobody knows whether it was refused all the time.
    const isAnew = refused === undefined || nowMs - refused.lastMs > rolloutLimits.refusedGapMs;
    const sinceMs = isAnew ? nowMs : refused.sinceMs;
    known.refused = { sinceMs, lastMs: nowMs };
    known.reason = reason;
    known.phase = nowMs - sinceMs >= rolloutLimits.refusedMs ? 'failed' : 'ready';
  }

  #replace(known: KnownTurn): void {
    this.#known?.over.abort();
    this.#known = known;
  }

  /** Whether a later attempt of the same roll-out is known: the request was on its way for long. */
  #isLate({ rollout, attempt }: NodeTurn): boolean {
    const known = this.#known?.turn;
    return known !== undefined && known.rollout === rollout && known.attempt > attempt;
  }

  #assertName({ node }: NodeTurn): void {
    const own = this.#init.hostname().toLowerCase();
    if (own === '' || node !== own)
      throw new Fault(
        'failed-precondition',
        `this is the turn of ${JSON.stringify(node)}, and not of ${own}`,
      );
  }

  #assertMine(turn: NodeTurn): void {
    this.#assertName(turn);
    const role = this.#init.role();
    if (role !== turn.role)
      throw new Fault('failed-precondition', `this node is no ${turn.role}: abort the roll-out`);
  }
}

const newTurn = (turn: NodeTurn, wanted: WantedSystem | undefined): KnownTurn => ({
  ...{ id: nodePlanIdOf(turn), turn, wanted, phase: 'pulling', reason: '', image: '', readyAtMs: 0 },
  ...{ ticket: undefined, ticketAtMs: 0, refused: undefined, over: new AbortController() },
});
