/** The seed of a random test: `H2_SEED`, or a new one. Print it in the title of the test. */
export function testSeed(): number {
  return Number(process.env.H2_SEED ?? Date.now() % 2 ** 32);
}

/** Pseudo-random numbers in [0, below) that depend only on the seed. */
export type Random = (below: number) => number;

/** A generator of 32 bits (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
