/** A source of the time of day. */
export interface WallClock {
  /** Milliseconds since the Unix epoch, with fractions. It may jump when the time is set. */
  now(): number;
}

/** The clock of the host, to the microsecond: Date.now() alone rounds to milliseconds. */
export const systemWallClock: WallClock = {
  now: () => Number(Temporal.Now.instant().epochNanoseconds / 1000n) / 1000,
};
