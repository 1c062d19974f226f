/** How often and how long something is tried. All in ms. */
export interface RetrySchedule {
  /** From the first attempt to giving up. */
  readonly totalMs: number;
  readonly attemptMs: number;
  readonly unitMs: number;
  /** Up to so much more, by chance, so that nodes do not ask in step. */
  readonly jitterMs: number;
}

/** Source: Talos v1.14: etcd, join and promotion. */
export const joinSchedule: RetrySchedule = {
  totalMs: 30 * 60_000,
  attemptMs: 30_000,
  unitMs: 3000,
  jitterMs: 1000,
};
/** How often a join that goes on says so. */
export const joinNoticeMs = 30_000;

export const promotionSchedule: RetrySchedule = {
  totalMs: 10 * 60_000,
  attemptMs: 60_000,
  unitMs: 2000,
  jitterMs: 1000,
};
/** How long one member may take to answer a request to promote. */
export const promotionEndpointMs = 5000;

/**
 * What passes within seconds is asked again within one attempt: another learner that is about to be promoted, or this one
 * that catches up. Ours: a cluster of three is there in half the time.
 */
export const shortWait = { unitMs: 300, totalMs: 10_000 } as const;

/**
 * The pause before the next attempt; undefined when there is no time for another one.
 *
 * @param elapsedMs since the first attempt began
 * @param random from 0 to below 1
 */
export function nextPauseMs(
  { totalMs, unitMs, jitterMs }: RetrySchedule,
  elapsedMs: number,
  random: number,
): number | undefined {
  const pauseMs = unitMs + Math.floor(random * jitterMs);
  return elapsedMs + pauseMs < totalMs ? pauseMs : undefined;
}
