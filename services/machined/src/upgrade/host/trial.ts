import { pauseBy, type Timers } from '@nodewright/async';
import {
  judgeTrial,
  type OutsideNeed,
  startTrialClock,
  type TrialObservation,
  type TrialVerdict,
} from '@nodewright/boot';

export interface TrialInit {
  /** What was missing before the machine was upgraded. */
  readonly missingBefore: readonly OutsideNeed[];
  /** Looks at the machine. */
  readonly observe: () => Promise<Omit<TrialObservation, 'nowMs'>>;
  /** Called whenever what is said of the trial has changed. */
  readonly report: (verdict: TrialVerdict) => void;
  readonly timers: Timers;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
}

/** How often the machine is looked at. */
const lookEveryMs = 1000;

/**
 * Watches the tried system until it is confirmed or given up.
 *
 * @returns undefined when the node stops before that
 */
export async function watchTrial(
  init: TrialInit,
): Promise<Exclude<TrialVerdict, { kind: 'wait' }> | undefined> {
  const { missingBefore, observe, report, timers, signal } = init;
  let clock = startTrialClock(timers.monotonicMs());
  let said = '';
  while (!signal.aborted) {
    const observation = { nowMs: timers.monotonicMs(), ...(await observe()) };
    const judged = judgeTrial(clock, observation, missingBefore);
    clock = judged.clock;
    const { verdict } = judged;
    if (verdict.kind !== 'wait') return verdict;
    const text = `${verdict.isPaused} ${verdict.reason}`;
    if (text !== said) report(verdict);
    said = text;
    await pauseBy(timers, lookEveryMs, signal);
  }
  return undefined;
}
