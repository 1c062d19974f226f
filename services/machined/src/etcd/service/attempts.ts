import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { nextPauseMs, type RetrySchedule } from '../domain/retry-schedules.ts';

export interface AttemptsInit {
  readonly schedule: RetrySchedule;
  readonly timers: Timers;
  /** Returns a number of at least 0 and below 1. */
  readonly random: () => number;
  /** Cancels the current attempt and all further ones. */
  readonly signal: AbortSignal;
  /** Called for each failure that is followed by another attempt. */
  readonly onFailure?: (fault: Fault, elapsedMs: number) => void;
}

/**
 * Retries `attempt` according to the schedule until it succeeds.
 *
 * @throws Fault of the last attempt when the time is up; `cancelled` when the signal aborts
 */
export async function makeAttempts<T>(
  { schedule, timers, random, signal, onFailure }: AttemptsInit,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const startedMs = timers.monotonicMs();
  for (;;) {
    try {
      return await oneAttempt(schedule.attemptMs, timers, signal, attempt);
    } catch (error) {
      if (signal.aborted) throw new Fault('cancelled', 'cancelled by the caller', { cause: error });
      const elapsedMs = timers.monotonicMs() - startedMs;
      const pauseMs = nextPauseMs(schedule, elapsedMs, random());
      const fault = faultFrom(error);
      if (pauseMs === undefined) throw fault;
      onFailure?.(fault, elapsedMs);
      await pauseBy(timers, pauseMs, signal);
    }
  }
}

async function oneAttempt<T>(
  attemptMs: number,
  timers: Timers,
  signal: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  using _timer = timers.after(attemptMs, () => timeout.abort());
  try {
    return await attempt(AbortSignal.any([signal, timeout.signal]));
  } catch (error) {
    if (!timeout.signal.aborted || signal.aborted) throw error;
    throw new Fault('deadline-exceeded', `timed out after ${attemptMs / 1000}s`, { cause: error });
  }
}
