import type { Exceptions } from './exceptions.ts';
import type { CaseOutcome } from './read-report.ts';

/** Why an outcome is wrong; `undefined` when it is as expected. */
export function judgeCase({ name, outcome, text }: CaseOutcome, exceptions: Exceptions): string | undefined {
  const reason = Object.hasOwn(exceptions, name) ? exceptions[name] : undefined;
  if (reason === undefined) return outcome === 'passed' ? undefined : `${outcome}: ${text}`;
  return outcome === 'passed' ? `passes, but it is listed as an exception: ${reason}` : undefined;
}

/** The exceptions that name no case of the report. */
export function unknownExceptions(report: readonly CaseOutcome[], exceptions: Exceptions): string[] {
  const names = new Set(report.map(({ name }) => name));
  return Object.keys(exceptions).filter((name) => !names.has(name));
}
