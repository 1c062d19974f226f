import { exponentialDelayMs } from '@nodewright/async';

const jitter = 0.5;

/** The longest pause before the jitter, in ms. */
export const longestBackOffMs = 60_000;
const growth = { firstMs: 500, factor: 1.5, longestMs: longestBackOffMs };

/**
 * Pauses that grow from failure to failure: 500 ms, times 1.5 after each failure, at most 60 s, with a jitter
 * of ±50 % so that controllers that failed together do not retry together. Source: Talos v1.14: COSI
 * reconcile loop.
 */
export class BackOff {
  readonly #random: () => number;
  #failures = 0;

  /** @param random returns numbers from 0 to below 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** The next pause, in ms. */
  next(): number {
    const spread = 1 - jitter + 2 * jitter * this.#random();
    this.#failures += 1;
    return Math.round(exponentialDelayMs(growth, this.#failures) * spread);
  }

  /** Starts again with the first pause. */
  reset(): void {
    this.#failures = 0;
  }
}
