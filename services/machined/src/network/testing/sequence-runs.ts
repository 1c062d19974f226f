/** Each takes a part of the time that a test has. */
export interface SequenceRuns {
  readonly parts: readonly number[];
  /** Of each part, for `fc.assert`. */
  readonly options: { readonly numRuns: number; readonly seed?: number };
}

/**
 * How many random sequences a test draws: `short` ones in `make test`, `long` ones in `make test-network-sequences`, or `SEQUENCES=`.
 * `SEED=` repeats a run.
 */
export function sequenceRuns(
  parts: number,
  counts: { readonly short: number; readonly long: number },
): SequenceRuns {
  const { SEQUENCES, SEED, LONG_SEQUENCES } = process.env;
  const count = Number(SEQUENCES || (LONG_SEQUENCES ? counts.long : counts.short));
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('SEQUENCES must be a number of sequences');
  return {
    parts: Array.from({ length: parts }, (_, index) => index + 1),
    options: { numRuns: Math.ceil(count / parts), ...(SEED ? { seed: Number(SEED) } : {}) },
  };
}
