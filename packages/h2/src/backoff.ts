import { exponentialDelayMs } from '@nodewright/async';

const growth = { firstMs: 1000, factor: 1.6, longestMs: 15_000 };
const jitter = 0.2;

/**
 * Delay before the next attempt after the `failures`th failed connect in a row (from 1), in milliseconds.
 * `random` is in [0, 1). Source: Talos v1.14: outgoing connections of apid; gRPC connection backoff.
 */
export function backoffDelayMs(failures: number, random: number): number {
  const delay = exponentialDelayMs(growth, failures);
  return Math.min(growth.longestMs, delay * (1 + jitter * (2 * random - 1)));
}
