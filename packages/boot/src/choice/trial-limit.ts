import type { OutsideNeed } from './upgrade-record.ts';

/** How long the fault of a node may keep a tried system from being confirmed. */
export const trialLimitMs = 10 * 60_000;

/** Something without which the machine is not ready. */
export interface TrialProblem {
  /** Such as `apid is not healthy`. */
  readonly text: string;
  /** `node`: a service that fails, apid, a disk, a module. Otherwise what the machine needs of others. */
  readonly cause: 'node' | OutsideNeed;
}

export interface TrialObservation {
  /** Of a clock that only runs forward. */
  readonly nowMs: number;
  /** The machine has the stage `running` and is ready. */
  readonly isReady: boolean;
  /** What it lacks. Empty while it starts, and nothing has failed yet. */
  readonly problems: readonly TrialProblem[];
}

/** What a trial has used up. */
export interface TrialClock {
  readonly countedMs: number;
  /** Of the last observation. */
  readonly atMs: number;
  /** Whether time counts since then. */
  readonly isCounting: boolean;
}

/** A trial that begins now. Time counts until an observation says otherwise. */
export const startTrialClock = (nowMs: number): TrialClock => ({
  countedMs: 0,
  atMs: nowMs,
  isCounting: true,
});

export type TrialVerdict =
  | { readonly kind: 'confirm' }
  /** The limit is used up. */
  | { readonly kind: 'give up'; readonly reason: string }
  | {
      readonly kind: 'wait';
      /** The limit does not run. */
      readonly isPaused: boolean;
      readonly leftMs: number;
      readonly reason: string;
    };

/**
 * Judges a trial at an observation. Between two observations time counts if it did so after the first one, and not while everything that the
 * machine lacks is what it lacked before the upgrade, and what others have to give: time servers, other nodes, a quorum. What was there
 * before the upgrade and is missing now may be the fault of the new system, such as a network device without a driver, so its time counts.
 *
 * @param missingBefore as recorded when the machine was upgraded
 */
export function judgeTrial(
  clock: TrialClock,
  { nowMs, isReady, problems }: TrialObservation,
  missingBefore: readonly OutsideNeed[],
): { readonly clock: TrialClock; readonly verdict: TrialVerdict } {
  const isOutside = ({ cause }: TrialProblem) => cause !== 'node' && missingBefore.includes(cause);
  const isPaused = problems.length > 0 && problems.every(isOutside);
  const passedMs = clock.isCounting ? Math.max(0, nowMs - clock.atMs) : 0;
  const next: TrialClock = {
    countedMs: clock.countedMs + passedMs,
    atMs: Math.max(nowMs, clock.atMs),
    isCounting: !isPaused,
  };
  const leftMs = Math.max(0, trialLimitMs - next.countedMs);
  const named = problems.filter((problem) => isPaused || !isOutside(problem)).map(({ text }) => text);
  const reason = named.length === 0 ? 'the machine starts' : named.join(', ');
  const verdict: TrialVerdict = isReady
    ? { kind: 'confirm' }
    : leftMs === 0 && !isPaused
      ? { kind: 'give up', reason: `it was not ready within ${trialLimitMs / 60_000} minutes: ${reason}` }
      : { kind: 'wait', isPaused, leftMs, reason };
  return { clock: next, verdict };
}
