// The turn of the plan of this node: taken and waited for, lost and taken again, left to the next start, given back.
import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { NodePlan } from '../domain/node-plan.ts';
import { type HeldTurn, type NodeTurns, turnTtlSeconds } from './node-turn.ts';

export interface PlanTurnInit {
  readonly turns: NodeTurns;
  /** Whether this node has a member of etcd, so that the others count on it. */
  readonly isMember: () => Promise<boolean>;
  /** @throws Fault `failed-precondition` with the reason when etcd cannot do without this member for a while */
  readonly assertMayUpgrade: (signal: AbortSignal) => Promise<void>;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
  /** Gets what the turn waits for. */
  readonly waits: (reason: string) => void;
  /** Called when it waits for nothing any more. */
  readonly runs: () => void;
}

/** What the turn must know of a plan. */
type PlanOfTurn = Pick<NodePlan, 'id' | 'kind' | 'ignoresEtcd'>;

/** How long a node waits for its turn, and for the others to be well, in ms. */
export const turnLimitMs = 300_000;
/** How long a step that failed waits until it is tried again, in ms. */
export const retryMs = 5_000;

export class PlanTurn {
  readonly #init: PlanTurnInit;
  #held: HeldTurn | undefined;
  /** It was allowed to go on without its turn. */
  #goesWithout = false;
  #returning: Promise<void> = Promise.resolve();

  constructor(init: PlanTurnInit) {
    this.#init = init;
  }

  /** Resolves when the turns of plans that have failed are given back. It never rejects. */
  get returned(): Promise<void> {
    return this.#returning;
  }

  /** To be called before a new plan. */
  forget(): void {
    this.#goesWithout = false;
  }

  /** Takes the turn unless it is held: it ends when etcd has not answered for long. @throws Fault as take() */
  async hold(plan: PlanOfTurn, signal: AbortSignal): Promise<void> {
    if (this.#held?.isHeld() === false) await this.leave();
    if (this.#held === undefined) await this.take(plan, signal);
  }

  /**
   * Takes the turn, and waits until the others are well. A worker has none.
   *
   * @throws Fault `deadline-exceeded` with what it has waited for; the reason of the signal
   */
  async take(plan: PlanOfTurn, signal: AbortSignal): Promise<void> {
    const { isMember, timers, waits, runs } = this.#init;
    if (this.#goesWithout || !(await isMember())) return;
    if (this.#held !== undefined) await this.leave();
    const late = new AbortController();
    using _timer = timers.after(turnLimitMs, () => late.abort());
    const waiting = AbortSignal.any([signal, late.signal]);
    const seen = { reason: 'etcd, which does not answer', isTaken: false };
    const say = (reason: string) => {
      seen.reason = reason;
      waits(reason);
    };
    try {
      await this.#takeLock(plan.id, say, seen, waiting);
      if (!plan.ignoresEtcd) await this.#untilOthersAreWell(say, waiting);
    } catch (error) {
      if (signal.aborted || !late.signal.aborted) throw error;
      this.#goOnWithout(plan, seen);
    }
    runs();
  }

  async #takeLock(
    id: string,
    say: (reason: string) => void,
    seen: { isTaken: boolean },
    waiting: AbortSignal,
  ): Promise<void> {
    const { turns } = this.#init;
    const isHeldBy = (holder: string) => {
      seen.isTaken = true;
      say(`the turn, which ${holder} has`);
    };
    await this.#again(
      async () => {
        this.#held = (await turns.adopt(id, waiting)) ?? (await turns.take(id, isHeldBy, waiting));
      },
      (message) => say(`the turn: ${message}`),
      waiting,
    );
  }

  #untilOthersAreWell(say: (reason: string) => void, waiting: AbortSignal): Promise<void> {
    return this.#again(() => this.#init.assertMayUpgrade(waiting), say, waiting);
  }

  /** Acts until that succeeds. @throws the reason of the signal */
  async #again(
    act: () => Promise<void>,
    say: (message: string) => void,
    waiting: AbortSignal,
  ): Promise<void> {
    for (;;)
      try {
        return await act();
      } catch (error) {
        waiting.throwIfAborted();
        say(faultFrom(error).message);
        await pauseBy(this.#init.timers, retryMs, waiting);
        waiting.throwIfAborted();
      }
  }

  /** A restart, or an upgrade without a check of etcd, may be what mends it. @throws Fault when the plan must not go on */
  #goOnWithout(
    { id, kind, ignoresEtcd }: PlanOfTurn,
    { reason, isTaken }: { readonly reason: string; readonly isTaken: boolean },
  ): void {
    if (ignoresEtcd && !isTaken) {
      this.#init.log.warn({ plan: id, kind, reason }, 'the node goes on without a turn');
      this.#goesWithout = true;
      return;
    }
    const waited = `waited ${turnLimitMs / 60_000} minutes for ${reason}`;
    throw new Fault(
      'deadline-exceeded',
      isTaken ? `${waited}: wait for the other node and try again` : `${waited}: try again`,
    );
  }

  /** Goes on with the turn that the plan had before a restart. One that has ended is not taken again: the node is down or back already. */
  async adopt({ id }: PlanOfTurn, signal: AbortSignal): Promise<void> {
    if (this.#held !== undefined || !(await this.#init.isMember())) return;
    this.#held = await this.#init.turns.adopt(id, signal).catch(() => undefined);
  }

  async give(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.give();
  }

  /** Leaves it to the next start. */
  async leave(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    await held?.leave().catch(() => {});
  }

  /** Gives the turn of a plan that has failed back. One that goes on after a restart has not adopted its turn while etcd did not answer. */
  async giveOfFailed({ id }: PlanOfTurn, signal: AbortSignal): Promise<void> {
    if (this.#held === undefined) this.return(id, signal);
    else await this.give();
  }

  /** Gives the turn of a plan that has ended back as soon as etcd answers. Without an answer the key ends by itself. */
  return(id: string, signal: AbortSignal): void {
    const { turns, isMember, timers } = this.#init;
    const untilReturned = async () => {
      const endMs = timers.monotonicMs() + turnTtlSeconds * 1000;
      while (!signal.aborted && timers.monotonicMs() < endMs) {
        try {
          // Early in a start it is not known yet whether this node is a control plane.
          if (await isMember()) return await (await turns.adopt(id, signal))?.give();
        } catch {
          // etcd answers later.
        }
        await pauseBy(timers, retryMs, signal);
      }
    };
    const before = this.#returning;
    this.#returning = Promise.all([before, untilReturned()]).then(() => {});
  }
}
