/** The parameters of an exponential back-off. */
export interface ExponentialDelay {
  readonly firstMs: number;
  readonly factor: number;
  /** The upper limit of a pause. */
  readonly longestMs: number;
}

/**
 * The pause after the given number of consecutive failures, in ms and without jitter. `failures` counts from
 * 1.
 */
export function exponentialDelayMs(
  { firstMs, factor, longestMs }: ExponentialDelay,
  failures: number,
): number {
  return Math.min(longestMs, firstMs * factor ** Math.max(0, failures - 1));
}
