import type { Finding } from './judge.ts';

/** A finding that is accepted, for a reason that is written down. One that is not found any more fails the run. */
export interface ExpectedFinding {
  readonly judge: string;
  /** The ids that it is about, each as a whole. */
  readonly findings: RegExp;
  readonly reason: string;
}

export interface Verdict {
  readonly accepted: readonly ExpectedFinding[];
  /** Findings that nobody expected. */
  readonly fresh: readonly Finding[];
  /** What was expected and is not found. */
  readonly stale: readonly ExpectedFinding[];
}

/** Compares what a judge found with what is expected of it. */
export function verdictOf(
  judge: string,
  findings: readonly Finding[],
  expected: readonly ExpectedFinding[],
): Verdict {
  const own = expected.filter((row) => row.judge === judge);
  const isAbout = ({ findings: pattern }: ExpectedFinding, { id }: Finding) =>
    new RegExp(`^(?:${pattern.source})$`, pattern.flags).test(id);
  const isFound = (row: ExpectedFinding) => findings.some((finding) => isAbout(row, finding));
  return {
    accepted: own.filter(isFound),
    fresh: findings.filter((finding) => !own.some((row) => isAbout(row, finding))),
    stale: own.filter((row) => !isFound(row)),
  };
}

/** Whether the judge accepts the subject. */
export const isAccepted = ({ fresh, stale }: Verdict): boolean => fresh.length === 0 && stale.length === 0;
