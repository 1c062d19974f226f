// A part of this node changes while the others keep theirs: one node at a time, each by itself.
import { pauseBy, type Timers } from '@nodewright/async';
import { decideTurn, type TurnFacts } from '../domain/decide-turn.ts';
import type { Wellness } from '../domain/wellness.ts';
import type { Turn } from './turn.ts';

export interface ActInTurnInit {
  /** Takes the lock until `scope` ends; `undefined` when it is not available in time. */
  readonly takeTurn: (scope: AsyncDisposableStack, signal: AbortSignal) => Promise<Turn | undefined>;
  /** Whether there is still something to do. Others may have had their turns since it was asked for. */
  readonly isNeeded: () => Promise<boolean>;
  /** Looks whether this part works and whether the others do, with the turn if there is one. */
  readonly look: (turn: Turn | undefined, signal: AbortSignal) => Promise<TurnFacts>;
  /** Makes this part unavailable, such as by its restart. It is told whether the part worked before. */
  readonly act: (wasWell: boolean, signal: AbortSignal) => Promise<void>;
  /** Whether the part works again. */
  readonly check: (signal: AbortSignal) => Promise<Wellness>;
  /** Whether something other than the part delays it, such as a program that restarts it and is away; by default nothing does. */
  readonly isDelayed?: () => Promise<boolean>;
  readonly times: TurnTimes;
  readonly timers: Timers;
  /** Ends it; a part that was acted on is not waited for then. */
  readonly signal: AbortSignal;
}

export interface TurnTimes {
  /** The pause between two checks, in ms. */
  readonly pollMs: number;
  /** How long the part may take, in ms, since it was acted on or was delayed last. */
  readonly limitMs: number;
  /** The same in all, in ms, however long it is delayed; by default `limitMs`. */
  readonly delayedLimitMs?: number;
}

export type TurnOutcome =
  | { readonly kind: 'not-needed' }
  /** Nothing was done. */
  | { readonly kind: 'postponed'; readonly reason: string }
  /** It was acted on, and works again. */
  | { readonly kind: 'well' }
  /** It was acted on, and something is to be done again, before it worked. */
  | { readonly kind: 'needed-again' }
  /** It was acted on, and does not work within its time. The others see that when they look. */
  | { readonly kind: 'not-well'; readonly reason: string; readonly afterMs: number };

/**
 * Takes a turn, looks whether the others are well, acts, waits until this part is well again, and gives the turn back, whatever happens.
 *
 * @throws the reason of the signal when it aborts; what the functions of `init` throw
 */
export async function actInTurn(init: ActInTurnInit): Promise<TurnOutcome> {
  const { signal } = init;
  await using scope = new AsyncDisposableStack();
  const turn = await init.takeTurn(scope, signal);
  if (!(await init.isNeeded())) return { kind: 'not-needed' };
  const facts = await init.look(turn, signal);
  signal.throwIfAborted();
  // The lock may have been lost while the others were looked at.
  const decision = decideTurn(turn?.isHeld() ?? false, facts);
  if (decision.kind === 'wait') return { kind: 'postponed', reason: decision.reason };
  await init.act(facts.isWell, signal);
  return await waitUntilWell(init);
}

async function waitUntilWell({
  check,
  isNeeded,
  isDelayed,
  times: { pollMs, limitMs, delayedLimitMs = limitMs },
  timers,
  signal,
}: ActInTurnInit): Promise<TurnOutcome> {
  const beganMs = timers.monotonicMs();
  let endMs = beganMs + limitMs;
  let reason = 'it was not checked';
  while (timers.monotonicMs() < endMs && !signal.aborted) {
    const wellness = await check(signal);
    if (wellness.isWell) return { kind: 'well' };
    reason = wellness.reason;
    if (await isNeeded()) return { kind: 'needed-again' };
    await pauseBy(timers, pollMs, signal);
    if (await isDelayed?.()) endMs = Math.min(timers.monotonicMs() + limitMs, beganMs + delayedLimitMs);
  }
  signal.throwIfAborted();
  return { kind: 'not-well', reason, afterMs: endMs - beganMs };
}
