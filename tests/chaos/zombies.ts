import { readdirSync, readFileSync } from 'node:fs';

/** Processes that have ended and that one of `parents` has not waited for, in words. */
export function zombiesOf(parents: ReadonlySet<number>): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      // The name stands in parentheses and may hold anything; state and parent follow it.
      const [, name = '', state, parent] = /^\d+ \((.*)\) (\S) (\d+) /s.exec(statOf(pid)) ?? [];
      return state === 'Z' && parents.has(Number(parent)) ? [`zombie ${pid} (${name}) of ${parent}`] : [];
    });
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return '';
  }
}
