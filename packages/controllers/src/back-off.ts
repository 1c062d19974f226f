import { exponentialDelayMs } from '@nodewright/async';

const jitter = 0.5;

/** The longest pause before the jitter, in ms. */
export const longestBackOffMs = 60_000;
const growth = { firstMs: 500, factor: 1.5, longestMs: longestBackOffMs };

/**
 * Pauses that grow from failure to failure: 500 ms, half as long again each time, 60 s at most, each up to half as
 * long more or less, so that what failed together does not come back together. Source: Talos v1.14: COSI reconcile loop.
 */
export class BackOff {
  readonly #random: () => number;
  #failures = 0;

  /** @param random gives numbers from 0 to below 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** How long to wait now, in ms. */
  next(): number {
    const spread = 1 - jitter + 2 * jitter * this.#random();
    this.#failures += 1;
    return Math.round(exponentialDelayMs(growth, this.#failures) * spread);
  }

  /** The next failure is the first one again. */
  reset(): void {
    this.#failures = 0;
  }
}
