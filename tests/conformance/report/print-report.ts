import type { Verdict } from '../run-checks.ts';
import { type MethodVerdict, methodVerdicts } from './method-verdicts.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly notImplemented: number;
  readonly skipped: number;
}

/** @param isExcused whether a method may be missing; any other missing method is a failure */
export function countVerdicts(verdicts: readonly Verdict[], isExcused: (method: string) => boolean): Counts {
  const count = (holds: (verdict: Verdict) => boolean) => verdicts.filter(holds).length;
  const isMissing = ({ outcome }: Verdict) => outcome === 'not implemented';
  const notImplemented = count((verdict) => isMissing(verdict) && isExcused(verdict.method));
  return {
    passed: count(({ outcome }) => outcome === 'passed'),
    failed: count(({ outcome }) => outcome === 'failed') + count(isMissing) - notImplemented,
    notImplemented,
    skipped: count(({ outcome }) => outcome === 'skipped'),
  };
}

/** The table of methods, under each what did not pass and why, and the counts in the last line. */
export function reportText(verdicts: readonly Verdict[], isExcused: (method: string) => boolean): string {
  const methods = methodVerdicts(verdicts, isExcused);
  const width = Math.max(...methods.map(({ method }) => method.length), 'METHOD'.length);
  const { passed, failed, notImplemented, skipped } = countVerdicts(verdicts, isExcused);
  return [
    `${'METHOD'.padEnd(width)}   VERDICT`,
    ...methods.flatMap((method) => methodLines(method, width)),
    '',
    ...(notImplemented > 0 ? [`${notImplemented} checks of methods that are not implemented`] : []),
    ...(skipped > 0 ? [`${skipped} checks skipped`] : []),
    `${passed} passed, ${failed} failed`,
    '',
  ].join('\n');
}

const verdictTexts: Readonly<Record<MethodVerdict['verdict'], (passed: number) => string>> = {
  passed: (passed) => `passed (${passed} checks)`,
  failed: () => 'FAILED',
  missing: () => 'NOT IMPLEMENTED, though docs/api.md does not say so',
  'not implemented': () => 'not implemented',
  'refusals passed': () => 'passed (refusals; not called: it changes the node)',
  'not checked': () => 'not checked',
};

function methodLines({ method, verdict, passed, others }: MethodVerdict, width: number): string[] {
  return [
    `${method.padEnd(width)}   ${verdictTexts[verdict](passed)}`,
    ...others.flatMap(({ id, outcome, why, says }) =>
      outcome === 'failed' ? [`  failed: ${id}: ${says}`, `    ${why}`] : [`  skipped: ${id}: ${why}`],
    ),
  ];
}
