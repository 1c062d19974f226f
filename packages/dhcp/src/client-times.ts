// What the clients for IPv4 and for IPv6 know of time. All times are those of the monotonic clock in ms.

/** When a client goes on by itself; undefined: not at all. */
export interface ClientTimes {
  readonly dueMs: number | undefined;
  readonly lease: Pick<LeaseTimes, 'endMs'> | undefined;
}

/** Of a lease; undefined for one without end. */
export interface LeaseTimes {
  readonly renewMs: number | undefined;
  readonly rebindMs: number | undefined;
  readonly endMs: number | undefined;
}

export const isOver = (atMs: number | undefined, nowMs: number): boolean =>
  atMs !== undefined && atMs <= nowMs;

/** When the client wants the event `timer`; undefined: not at all. */
export function dueMsOf({ dueMs, lease }: ClientTimes): number | undefined {
  const endMs = lease?.endMs;
  if (dueMs === undefined || endMs === undefined) return dueMs ?? endMs;
  return Math.min(dueMs, endMs);
}

/** The times of a lease that counts from a moment. Each duration is undefined for a lease without end. */
export function leaseTimesFrom(
  fromMs: number,
  {
    renewalSeconds,
    rebindingSeconds,
    seconds,
  }: {
    readonly renewalSeconds: number | undefined;
    readonly rebindingSeconds: number | undefined;
    readonly seconds: number | undefined;
  },
): LeaseTimes {
  const at = (after: number | undefined) => (after === undefined ? undefined : fromMs + after * 1000);
  return { renewMs: at(renewalSeconds), rebindMs: at(rebindingSeconds), endMs: at(seconds) };
}

const longestPauseMs = 60_000;

/** A pause that doubles with each failure, from a second to a minute. */
export const growingPauseMs = (failures: number): number =>
  Math.min(longestPauseMs, 1000 * 2 ** Math.min(failures, 10));

/** Source: RFC 2131, section 3.1, step 5. */
const declinePauseMs = 10_000;
/** After so many conflicts in a row the pause is a minute. Source: RFC 5227, section 2.1.1. */
const mostConflicts = 10;

/** The pause after an address that another host has. @param conflicts in a row, with this one */
export const conflictPauseMs = (conflicts: number): number =>
  conflicts >= mostConflicts ? longestPauseMs : declinePauseMs;
