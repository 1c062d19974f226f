import type { Verdict } from '../run-checks.ts';

/**
 * What came of all checks of one method.
 * - `refusals passed`: it changes the node, so only those were checked who may not call it.
 * - `missing`: it answers UNIMPLEMENTED and nothing excuses it.
 * - `not implemented`: it answers UNIMPLEMENTED, which is known or not ours to judge.
 */
export interface MethodVerdict {
  readonly method: string;
  readonly verdict: 'passed' | 'failed' | 'missing' | 'not implemented' | 'refusals passed' | 'not checked';
  readonly passed: number;
  /** The checks that failed or could not be made. */
  readonly others: readonly Verdict[];
}

/**
 * One verdict per method, in the order of the methods' first checks. A method that answers UNIMPLEMENTED is
 * not implemented, even if other checks of it pass: callers without permission are refused in any case.
 *
 * @param isExcused whether a method may be missing
 */
export function methodVerdicts(
  verdicts: readonly Verdict[],
  isExcused: (method: string) => boolean,
): MethodVerdict[] {
  const byMethod = Map.groupBy(verdicts, ({ method }) => method);
  return [...byMethod].map(([method, all]) => {
    const of = (outcome: Verdict['outcome']) => all.filter((verdict) => verdict.outcome === outcome);
    const passed = of('passed');
    const verdict = (): MethodVerdict['verdict'] => {
      if (of('failed').length > 0) return 'failed';
      if (of('not implemented').length > 0) return isExcused(method) ? 'not implemented' : 'missing';
      if (passed.length === 0) return 'not checked';
      return passed.every(({ id }) => id.startsWith('roles.refused')) ? 'refusals passed' : 'passed';
    };
    return {
      method,
      verdict: verdict(),
      passed: passed.length,
      others: [...of('failed'), ...of('skipped')],
    };
  });
}
