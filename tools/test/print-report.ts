import { dirname } from 'node:path';
import { reportCounts } from '../suites/suite-results.ts';
import type { TestCounts } from './run-files.ts';

export interface ReportInit {
  readonly turns: readonly TestCounts[];
  /** What could not run, with the reason. */
  readonly notRun: readonly string[];
  /** A skipped test has tested nothing: where nothing may be skipped, it counts as failed. */
  readonly skipsFail: boolean;
}

/** Prints what failed, what was skipped and the sums, and sets the exit code. */
export async function printReport({ turns, notRun, skipsFail }: ReportInit): Promise<void> {
  const sum = (of: (counts: TestCounts) => number) => turns.reduce((total, counts) => total + of(counts), 0);
  const skipped = [...turns.flatMap((counts) => counts.skipped), ...notRun];
  // Those that count as failed are named like what failed, which is repeated below the sums of all suites.
  for (const line of skipped) process.stdout.write(`${skipsFail ? 'failed: skipped' : 'skipped'}: ${line}\n`);
  for (const line of slowest(turns)) process.stdout.write(`slow: ${line}\n`);
  for (const line of turns.flatMap(({ repeated }) => repeated))
    process.stdout.write(`failed, passed when run again: ${line}\n`);
  for (const line of turns.flatMap(({ failures }) => failures)) process.stdout.write(`failed: ${line}\n`);
  const passed = sum((counts) => counts.passed);
  const failed = sum((counts) => counts.failed) + (skipsFail ? skipped.length : 0);
  const note = skipsFail || skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  process.stdout.write(`${passed} passed, ${failed} failed${note}\n`);
  process.exitCode = failed > 0 ? 1 : 0;
  await reportCounts({ passed, failed, skipped: skipsFail ? 0 : skipped.length });
}

/** Of a long run the files, and the folders with all their files, that take most of the time. */
function slowest(turns: readonly TestCounts[]): string[] {
  const durations = turns.flatMap((counts) => [...counts.durations]);
  if (durations.length < 100) return [];
  const folders = Object.groupBy(durations, ([file]) => dirname(file));
  const sums = Object.entries(folders).map(([folder, files = []]) => {
    const ms = files.reduce((sum, [, each]) => sum + each, 0);
    return [`${folder}/ (files: ${files.length})`, ms] as const;
  });
  return [durations, sums].flatMap((rows) =>
    rows
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, mostListed)
      .map(([name, ms]) => `${(ms / 1000).toFixed(1)} s ${name}`),
  );
}

const mostListed = 20;
