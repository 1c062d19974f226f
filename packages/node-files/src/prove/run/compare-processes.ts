import { flagsByName } from '../comparable.ts';

/** A running process of a node, and what it was started with. */
export interface ObservedProcess {
  /** The name of the service. */
  readonly name: string;
  readonly pid: number;
  readonly args: readonly string[];
  /** Digests of the files that its arguments name, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What became of a service while the new configuration took effect. */
export interface ProcessOutcome {
  readonly node: string;
  readonly service: string;
  /**
   * `kept`: the same process. `restarted`: another one, with other arguments or files. `restarted-equal`: another one, although both are
   * equal. `ended` and `started`: it runs only before, or only after.
   */
  readonly outcome: 'kept' | 'restarted' | 'restarted-equal' | 'ended' | 'started';
  readonly pids: readonly [before: number | undefined, after: number | undefined];
  /** The flags and files that differ. It has no values. */
  readonly differs: readonly string[];
}

/** More names of one process are counted. */
const maxNames = 12;

/**
 * Compares the processes of a node before and after. Only a service whose arguments or files differ may be another process then, and only
 * such a one may have ended or started: nothing tells why.
 */
export function compareProcesses(
  node: string,
  before: readonly ObservedProcess[],
  after: readonly ObservedProcess[],
): ProcessOutcome[] {
  const names = [...new Set([...before, ...after].map(({ name }) => name))].toSorted();
  return names.map((service) => {
    const old = before.find(({ name }) => name === service);
    const next = after.find(({ name }) => name === service);
    const pids = [old?.pid, next?.pid] as const;
    if (old === undefined || next === undefined)
      return { node, service, outcome: old === undefined ? 'started' : 'ended', pids, differs: [] };
    const differs = differencesOf(old, next);
    if (old.pid === next.pid) return { node, service, outcome: 'kept', pids, differs };
    return { node, service, outcome: differs.length > 0 ? 'restarted' : 'restarted-equal', pids, differs };
  });
}

function differencesOf(old: ObservedProcess, next: ObservedProcess): string[] {
  const found = [
    ...keysThatDiffer(flagsByName(old.args), flagsByName(next.args)),
    ...keysThatDiffer(old.files, next.files),
  ];
  // The same flags in another order are other arguments.
  if (found.length === 0 && old.args.join('\0') !== next.args.join('\0'))
    return ['the order of its arguments'];
  return found.length <= maxNames ? found : [...found.slice(0, maxNames), `${found.length - maxNames} more`];
}

function keysThatDiffer(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>) {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key])).toSorted();
}
