/** Printed instead of candidates when the shell should complete a local path. */
export const filesDirective = ':files';

/** A word that completes the command line. */
export interface Candidate {
  readonly value: string;
  /** A description in one line, which some shells do not show. */
  readonly description?: string | undefined;
}

/** Candidates without descriptions. */
export const plainCandidates = (values: readonly string[]): readonly Candidate[] =>
  values.map((value) => ({ value }));

/** Candidates with descriptions, from a record of descriptions by value. */
export const describedCandidates = (descriptions: Readonly<Record<string, string>>): readonly Candidate[] =>
  Object.entries(descriptions).map(([value, description]) => ({ value, description }));

/** The candidates that begin with the typed text. */
export function startingWith(typed: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

/** Completes the last word of a comma-separated list and keeps the words before it. */
export function listStartingWith(typed: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const done = typed.slice(0, typed.lastIndexOf(',') + 1);
  const taken = new Set(done.split(','));
  const left = candidates.filter(({ value }) => !taken.has(value));
  return startingWith(
    typed,
    left.map(({ value, description }) => ({ value: done + value, description })),
  );
}
