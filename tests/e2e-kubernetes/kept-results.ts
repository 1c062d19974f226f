import type { Options } from './options.ts';
import type { CaseResult } from './read-report.ts';

export interface KeptResults {
  readonly before: readonly CaseResult[];
  /** Why cases failed that are run again, by their names. */
  readonly failedBefore: ReadonlyMap<string, string>;
}

/** What a run keeps of the results of the one before. */
export function keptResults(keeps: Options['keeps'], results: readonly CaseResult[]): KeptResults {
  if (keeps !== 'passed') return { before: keeps === 'all' ? results : [], failedBefore: new Map() };
  const failed = results.filter(({ state }) => state === 'failed');
  return {
    before: results.filter(({ state }) => state === 'passed'),
    failedBefore: new Map(failed.map(({ name, reason = '' }) => [name, reason])),
  };
}

/** Results of cases that were run again, with the failures that they had before: a case that passes only sometimes stays visible. */
export function withEarlierFailures(
  results: readonly CaseResult[],
  failedBefore: KeptResults['failedBefore'],
): CaseResult[] {
  return results.map((result) => {
    const reason = failedBefore.get(result.name);
    return reason === undefined ? result : { ...result, failedBefore: reason };
  });
}
