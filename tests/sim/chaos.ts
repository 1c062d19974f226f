import type { SeededRandom } from '../fuzz/seeded-random.ts';

/** Bad luck, a limited amount of it, so that things come to rest in the end. */
export class Chaos {
  readonly #random: SeededRandom;
  #left: number;

  constructor(random: SeededRandom, amount: number) {
    this.#random = random;
    this.#left = amount;
  }

  /** Whether it strikes, once in `odds` times. */
  strikes(odds: number): boolean {
    if (this.#left === 0 || this.#random.below(odds) > 0) return false;
    this.#left -= 1;
    return true;
  }

  below(limit: number): number {
    return this.#random.below(limit);
  }
}
