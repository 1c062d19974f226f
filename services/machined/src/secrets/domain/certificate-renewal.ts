/** Half of the lifetime of the certificates of the API. Source: Talos v1.14: refresh timing. */
export const renewalPeriodMs = 12 * 60 * 60 * 1000;

/**
 * Whether certificates that were issued at `issuedAtMs` must be renewed: after half of their lifetime, or
 * when the clock was set back before their issue. It compares wall-clock times, because timers stop while a
 * machine sleeps.
 */
export function isRenewalDue(issuedAtMs: number, nowMs: number, periodMs = renewalPeriodMs): boolean {
  return nowMs - issuedAtMs >= periodMs || nowMs < issuedAtMs;
}

/** Timers stop while a machine sleeps, so the clock is checked at least this often. */
const longestSleepMs = 30 * 60 * 1000;

/** Certificates stay due while something is missing for new ones, which causes a pass when it arrives. */
const dueAgainMs = 60_000;

/** When to check certificates again, in ms from now. */
export function renewalDelayMs(issuedAtMs: number, nowMs: number, periodMs = renewalPeriodMs): number {
  if (isRenewalDue(issuedAtMs, nowMs, periodMs)) return dueAgainMs;
  return Math.min(longestSleepMs, issuedAtMs + periodMs - nowMs);
}
