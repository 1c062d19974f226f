// When the checks of the cluster run. Pure.
import type { CheckState } from '../protocol/messages.ts';

/** Between two runs in which nothing failed, without a change. */
export const calmMs = 15_000;
/** While something fails, so that the page notices soon that it is over. */
export const failingMs = 2000;
/** Changes within this time start the checks once. */
export const gatherMs = 200;
/** A run that a change made worthless goes on for this time in all: it may be about to end. */
export const leastRunMs = 1000;
/** Without a result for this time, a run ends even if the cluster changes meanwhile. */
export const longestWithoutMs = 15_000;

/** The pause after a run, in milliseconds. */
export function pauseAfter(checks: readonly CheckState[], problem: string | undefined): number {
  return problem !== undefined || checks.some(({ state }) => state === 'failed') ? failingMs : calmMs;
}

export interface CheckRun {
  readonly startedMs: number;
  /** When the last run with a result ended, or the watch began. */
  readonly resultMs: number;
}

/**
 * How long a run may go on after a change of the cluster, in milliseconds; undefined: until it ends. A cluster that changes all the time
 * would otherwise never have a result.
 */
export function restAfterChange({ startedMs, resultMs }: CheckRun, nowMs: number): number | undefined {
  if (nowMs - resultMs >= longestWithoutMs) return undefined;
  return Math.max(0, startedMs + leastRunMs - nowMs);
}

/** When nobody has looked for so long after the last result, it says nothing about the time since. A page that is loaded again needs less. */
export const forgottenMs = 45_000;
