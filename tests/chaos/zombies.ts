import { readdirSync, readFileSync } from 'node:fs';

/** Describes the zombies whose parent is one of `parents`. */
export function zombiesOf(parents: ReadonlySet<number>): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      // The name is in parentheses and may contain any character; state and parent follow it.
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
