import { readdirSync, readFileSync } from 'node:fs';

/** The properties of a running process that show to which cluster it belongs. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly args: readonly string[];
  /** The environment at its start; empty for a process of another user. */
  readonly environment: readonly string[];
}

/** Reads the properties of a process. Returns `undefined` when it does not exist or is a zombie. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The process name may contain spaces and parentheses: it ends at the last closing parenthesis.
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || group === undefined || state === 'Z' || state === 'X') return undefined;
  const words = (file: string) =>
    (readOrUndefined(`/proc/${pid}/${file}`) ?? '').split('\0').filter((word) => word !== '');
  const numbers = { parent: Number(parent), group: Number(group) };
  return { pid, ...numbers, args: words('cmdline'), environment: words('environ') };
}

/** The processes that started this one: its parent, the parent of that one, and so on. */
export function readAncestors(): Set<number> {
  const ancestors = new Set<number>();
  for (let pid = process.ppid; pid > 0 && !ancestors.has(pid); pid = readProcess(pid)?.parent ?? 0)
    ancestors.add(pid);
  return ancestors;
}

/** Returns every process that this user can see. */
export function readProcesses(): ProcessFacts[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => readProcess(Number(entry)))
    .filter((facts) => facts !== undefined);
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended, or belongs to another user. Nothing is known about it in both cases.
    return undefined;
  }
}
