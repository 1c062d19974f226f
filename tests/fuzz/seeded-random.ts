/** Random numbers that a seed repeats. The generator is Mulberry32. */
export class SeededRandom {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** From 0 (included) to `limit` (excluded). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let index = 0; index < length; index += 1) bytes[index] = this.below(256);
    return bytes;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }
}

/** `FUZZ_SEED`, or one from the clock. */
export function chosenSeed(): number {
  const given = Number(process.env.FUZZ_SEED);
  return Number.isSafeInteger(given) && given > 0 ? given : Date.now() % 2 ** 32;
}
