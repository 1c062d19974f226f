/** What stands in place of candidates where a path belongs. */
export const filesDirective = ':files';

/** A word that completes the command line. */
export interface Candidate {
  readonly value: string;
  /** One line; shells without descriptions leave it out. */
  readonly description?: string | undefined;
}

/** Candidates that say nothing but themselves. */
export const plainCandidates = (values: readonly string[]): readonly Candidate[] =>
  values.map((value) => ({ value }));

/** Candidates from their descriptions, by value. */
export const describedCandidates = (descriptions: Readonly<Record<string, string>>): readonly Candidate[] =>
  Object.entries(descriptions).map(([value, description]) => ({ value, description }));

/** The candidates that begin with what is typed already. */
export function startingWith(typed: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

/** Completes the last word of a list that commas separate, and keeps the words before it. */
export function listStartingWith(typed: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const done = typed.slice(0, typed.lastIndexOf(',') + 1);
  const taken = new Set(done.split(','));
  const left = candidates.filter(({ value }) => !taken.has(value));
  return startingWith(
    typed,
    left.map(({ value, description }) => ({ value: done + value, description })),
  );
}
