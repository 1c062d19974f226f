/** The times of a retry loop, in ms. */
export interface RetrySchedule {
  /** The total time, from the first attempt until the loop fails. */
  readonly totalMs: number;
  readonly attemptMs: number;
  readonly unitMs: number;
  /** Upper bound of a random addition to each pause, so that nodes do not retry at the same time. */
  readonly jitterMs: number;
}

/** Source: Talos v1.14: etcd, join and promotion. */
export const joinSchedule: RetrySchedule = {
  totalMs: 30 * 60_000,
  attemptMs: 30_000,
  unitMs: 3000,
  jitterMs: 1000,
};
/** The interval between log messages of a join that is still waiting. */
export const joinNoticeMs = 30_000;

export const promotionSchedule: RetrySchedule = {
  totalMs: 10 * 60_000,
  attemptMs: 60_000,
  unitMs: 2000,
  jitterMs: 1000,
};
/** How long one member may take to answer a promotion request. */
export const promotionEndpointMs = 5000;

/**
 * Retries within one attempt for reasons that pass within seconds: another learner is about to be promoted,
 * or this one is catching up. Talos does not retry here; this halves the time to form a cluster of three.
 */
export const shortWait = { unitMs: 300, totalMs: 10_000 } as const;

/**
 * The pause before the next attempt; `undefined` when the total time would be exceeded.
 *
 * @param elapsedMs the time since the first attempt began
 * @param random at least 0 and below 1
 */
export function nextPauseMs(
  { totalMs, unitMs, jitterMs }: RetrySchedule,
  elapsedMs: number,
  random: number,
): number | undefined {
  const pauseMs = unitMs + Math.floor(random * jitterMs);
  return elapsedMs + pauseMs < totalMs ? pauseMs : undefined;
}
