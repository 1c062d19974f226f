/** Half of the certificates' lifetime. Source: Talos v1.14: refresh timing. */
export const renewalPeriodMs = 12 * 60 * 60 * 1000;

/**
 * Whether certificates that were issued at `issuedAtMs` are due again: after half of their life, and when the clock
 * was set back before their beginning. Compared by the clock's time, because a machine that slept has no timer for it.
 */
export function isRenewalDue(issuedAtMs: number, nowMs: number): boolean {
  return nowMs - issuedAtMs >= renewalPeriodMs || nowMs < issuedAtMs;
}

/** Timers stand still while a machine sleeps: whoever waits for a renewal looks at the clock at least so often. */
const longestSleepMs = 30 * 60 * 1000;

/** When to look again at certificates that are not due yet, in ms from now. */
export function renewalDelayMs(issuedAtMs: number, nowMs: number): number {
  return Math.min(longestSleepMs, Math.max(1, issuedAtMs + renewalPeriodMs - nowMs));
}
