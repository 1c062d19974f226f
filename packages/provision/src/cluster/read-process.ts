import { readdirSync, readFileSync } from 'node:fs';

/** A running process, as far as it matters for finding out whose it is. */
export interface ProcessFacts {
  readonly pid: number;
  readonly group: number;
  readonly args: readonly string[];
  /** The environment it was started with; empty when it is another user's. */
  readonly environment: readonly string[];
}

/** The facts of a process, or undefined when there is none, or only its remains (a zombie) are left. */
export function readProcess(pid: number): ProcessFacts | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name may hold anything, spaces and parentheses too: it ends at the last closing one.
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === undefined || group === undefined || state === 'Z' || state === 'X') return undefined;
  const words = (file: string) =>
    (readOrUndefined(`/proc/${pid}/${file}`) ?? '').split('\0').filter((word) => word !== '');
  return { pid, group: Number(group), args: words('cmdline'), environment: words('environ') };
}

/** Every process of the machine that can be seen. */
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
    // Gone in the meantime, or not ours to read: both mean that nothing can be said about it.
    return undefined;
  }
}
