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

/** How long a certificate that another node has issued is in force, by the clock of this node. */
export interface IssuedTerm {
  /** Unix ms from which the certificate counts as none. */
  readonly endsAtMs: number;
  /** How long after its arrival it needs no renewal, in ms. */
  readonly renewalPeriodMs: number;
}

/** A certificate is in force for at least this long, in ms: trustd is asked no more often, however short the lifetimes are. */
const shortestPeriodMs = 60_000;

/**
 * The term of a certificate that arrived at `arrivedAtMs`: it ends as it says, and needs a renewal after half of what then remains. The
 * clocks of the two nodes may differ. One that has ended when it arrives shows that this node's clock is wrong: as other nodes can
 * verify it, it is in force for its lifetime from its arrival.
 */
export function termOfIssued(
  { notBefore, notAfter }: { readonly notBefore: Date; readonly notAfter: Date },
  arrivedAtMs: number,
): IssuedTerm {
  const lifetimeMs = Math.max(0, notAfter.getTime() - notBefore.getTime());
  const saidEndMs = arrivedAtMs < notAfter.getTime() ? notAfter.getTime() : arrivedAtMs + lifetimeMs;
  const remainingMs = Math.min(lifetimeMs, saidEndMs - arrivedAtMs);
  const endsAtMs = Math.max(saidEndMs, arrivedAtMs + shortestPeriodMs);
  return { endsAtMs, renewalPeriodMs: Math.max(shortestPeriodMs, remainingMs / 2) };
}

/** When to compare the end of a certificate with the clock, in ms from now. */
export function endDelayMs(endsAtMs: number, nowMs: number): number {
  return Math.min(longestSleepMs, Math.max(0, endsAtMs - nowMs));
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
