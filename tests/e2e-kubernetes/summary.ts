import type { CaseResult } from './read-report.ts';
import type { LeftOut } from './select-cases.ts';

export interface Summary {
  /** The version of Kubernetes that the cases are of. */
  readonly version: string;
  /** Cases of the suite that the run was about. */
  readonly cases: number;
  readonly passed: number;
  readonly failed: readonly CaseResult[];
  /** Cases that passed, and failed in an earlier run. */
  readonly passedLater: readonly CaseResult[];
  readonly leftOut: readonly LeftOut[];
  /** Cases for which the time did not suffice. */
  readonly notRun: readonly string[];
  /** Sum of the time of all cases, several of which ran at once. */
  readonly seconds: number;
}

export interface SummaryInit {
  readonly version: string;
  readonly results: readonly CaseResult[];
  readonly leftOut: readonly LeftOut[];
  /** Cases that were to run: those without a result were not. */
  readonly chosen: readonly string[];
}

export function summaryOf({ version, results, leftOut, chosen }: SummaryInit): Summary {
  const known = new Set(results.map(({ name }) => name));
  const notRun = chosen.filter((name) => !known.has(name));
  return {
    version,
    cases: results.length + leftOut.length + notRun.length,
    passed: results.filter(({ state }) => state === 'passed').length,
    failed: results.filter(({ state }) => state === 'failed'),
    passedLater: results.filter(
      ({ state, failedBefore }) => state === 'passed' && failedBefore !== undefined,
    ),
    leftOut,
    notRun,
    seconds: Math.round(results.reduce((sum, { seconds }) => sum + seconds, 0)),
  };
}

/** `412 passed, 3 failed, 24 left out, 23 not run, of 462`. */
export function summaryLine({ cases, passed, failed, leftOut, notRun }: Summary): string {
  const parts = [`${passed} passed`, `${failed.length} failed`, `${leftOut.length} left out`];
  return `${[...parts, `${notRun.length} not run`].join(', ')}, of ${cases}`;
}

/** The summary as a page of Markdown. */
export function summaryPage(summary: Summary): string {
  const { version, failed, passedLater, leftOut, notRun } = summary;
  const reasons = [...new Set(leftOut.map(({ reason }) => reason))];
  return [
    `# Conformance cases of Kubernetes ${version}`,
    `${summaryLine(summary)}.`,
    ...list(
      'Failed',
      failed.map(({ name, reason = '' }) => `${name}: ${reason}`),
    ),
    ...list(
      'Passed when they were run again',
      passedLater.map(({ name, failedBefore = '' }) => `${name}: ${failedBefore}`),
    ),
    ...reasons.flatMap((reason) =>
      list(
        `Left out: ${reason}`,
        leftOut.filter((row) => row.reason === reason).map(({ name }) => name),
      ),
    ),
    ...list('Not run before the time limit', notRun),
    '',
  ].join('\n\n');
}

/** Names of cases have brackets, which Markdown reads as links. */
const list = (title: string, rows: readonly string[]) =>
  rows.length === 0
    ? []
    : [`## ${title}`, rows.map((row) => `- ${row.replaceAll(/[[\]<*_`|]/g, '\\$&')}`).join('\n')];
