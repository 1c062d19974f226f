import type { SeededRandom } from '../fuzz/seeded-random.ts';

/** Injects a limited number of random failures, so that the simulation settles in the end. */
export class Chaos {
  readonly #random: SeededRandom;
  #left: number;

  constructor(random: SeededRandom, amount: number) {
    this.#random = random;
    this.#left = amount;
  }

  /** Whether to inject a failure, with a chance of one in `odds`. */
  strikes(odds: number): boolean {
    if (this.#left === 0 || this.#random.below(odds) > 0) return false;
    this.#left -= 1;
    return true;
  }

  below(limit: number): number {
    return this.#random.below(limit);
  }
}
