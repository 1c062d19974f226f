import type { LeftOutCases } from './left-out-cases.ts';

/** A case that is not run. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

export interface Selection {
  /** Cases that may run beside others. */
  readonly parallel: readonly string[];
  /** Cases that need the cluster for themselves. */
  readonly serial: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

export interface SelectCasesInit {
  /** Names of all cases of the suite. */
  readonly cases: readonly string[];
  readonly leftOut: readonly LeftOutCases[];
  readonly focus?: RegExp;
  /** Names of cases that have a result already. */
  readonly done: ReadonlySet<string>;
}

/**
 * Chooses the cases to run.
 *
 * @throws Error of one line when a case that is to be left out is not in the suite, or nothing matches the focus
 */
export function selectCases({ cases, leftOut, focus, done }: SelectCasesInit): Selection {
  const reasons = new Map(leftOut.flatMap(({ reason, cases: names }) => names.map((name) => [name, reason])));
  const unknown = [...reasons.keys()].filter((name) => !cases.includes(name));
  if (unknown.length > 0)
    throw new Error(`these cases are left out, and not in the suite: ${unknown.join(', ')}`);
  const wanted = cases.filter((name) => focus?.test(name) ?? true);
  if (wanted.length === 0) throw new Error(`no case of ${cases.length} matches FOCUS=${focus?.source}`);
  const chosen = wanted.filter((name) => !reasons.has(name) && !done.has(name));
  return {
    parallel: chosen.filter((name) => !isSerial(name)),
    serial: chosen.filter(isSerial),
    leftOut: wanted.flatMap((name) => {
      const reason = reasons.get(name);
      return reason === undefined ? [] : [{ name, reason }];
    }),
  };
}

/** Source: Kubernetes: end-to-end tests, kinds of tests. */
const isSerial = (name: string) => name.includes('[Serial]');

/** A regular expression for Ginkgo, in the syntax of Go, that matches exactly these cases. */
export function focusOn(names: readonly string[]): string {
  // Ginkgo puts the name of the suite and a space in front.
  return ` (${names.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})$`;
}
