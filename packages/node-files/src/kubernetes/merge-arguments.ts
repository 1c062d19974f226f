import { Fault } from '@nodewright/fault';
import type { ArgValues } from '@nodewright/state/kinds';

/** Flags without dashes, with their values in order. */
export type Flags = Readonly<Record<string, string | readonly string[]>>;

export interface MergeRules {
  /** The document that sets the flags, for errors. */
  readonly component: string;
  readonly program: string;
  /** The user's values are added to those of the node, behind a comma. */
  readonly additive: ReadonlySet<string>;
  /** The node alone sets these. */
  readonly denied: ReadonlySet<string>;
}

/**
 * A command line: the program, then the flags by name. A flag of the user replaces that of the node unless a rule says
 * otherwise. Source: Talos v1.14: static pods, arguments.
 *
 * @throws Fault `invalid-argument` that names each denied flag
 */
export function mergeArguments(
  own: Flags,
  extra: Readonly<Record<string, ArgValues>>,
  { component, program, additive, denied }: MergeRules,
): string[] {
  const refused = Object.keys(extra).filter((name) => denied.has(name));
  if (refused.length > 0) {
    const names = refused.sort().map((name) => `"${name}"`);
    throw new Fault(
      'invalid-argument',
      `extraArgs of ${component} set ${names.join(', ')}, which the node sets itself: remove it`,
    );
  }
  const flags = new Map(Object.entries(own).map(([name, value]) => [name, [value].flat()]));
  for (const [name, { values }] of Object.entries(extra)) {
    const before = flags.get(name);
    if (before !== undefined && additive.has(name)) flags.set(name, [[...before, ...values].join(',')]);
    else flags.set(name, [...values]);
  }
  const sorted = [...flags].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return [program, ...sorted.flatMap(([name, values]) => values.map((value) => `--${name}=${value}`))];
}
