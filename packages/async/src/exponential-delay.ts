/** How pauses grow from one failure to the next. */
export interface ExponentialDelay {
  readonly firstMs: number;
  readonly factor: number;
  /** The limit of the pauses. */
  readonly longestMs: number;
}

/** The pause after the `failures`-th failure in a row, from 1, in ms, without jitter. */
export function exponentialDelayMs(
  { firstMs, factor, longestMs }: ExponentialDelay,
  failures: number,
): number {
  return Math.min(longestMs, firstMs * factor ** Math.max(0, failures - 1));
}
