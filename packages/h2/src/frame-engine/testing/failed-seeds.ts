/**
 * Seeds of mutated conversations that once failed, with what was wrong. `make fuzz-h2` prints the seed of a
 * failure; it belongs here together with the mend, and every run of the tests repeats it.
 */
export const failedSeeds: readonly (readonly [seed: number, was: string])[] = [];
