import { exponentialDelayMs } from '@nodewright/async/exponential-delay';

const growth = { firstMs: 500, factor: 1.5, longestMs: 60_000 };

/** The back-off after `failures` consecutive failures, in ms. Source: Talos v1.14: controller back-off. */
export function backoffMs(failures: number): number {
  return exponentialDelayMs(growth, failures);
}
