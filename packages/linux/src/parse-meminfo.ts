import { counterFrom } from './counters.ts';

/**
 * The numbers of `/proc/meminfo` by the kernel's own names (`MemTotal`, `Active(anon)`, ...): KiB, except the
 * four `HugePages_*` counts, which are pages. Lines in another format are left out, so a name that the
 * running kernel does not print is absent.
 */
export function parseMeminfo(text: string): ReadonlyMap<string, bigint> {
  const numbers = new Map<string, bigint>();
  for (const line of text.split('\n')) {
    const match = linePattern.exec(line);
    const number = counterFrom(match?.[2]);
    if (match && number !== undefined) numbers.set(match[1] as string, number);
  }
  return numbers;
}

const linePattern = /^([^:\s]+):\s*(\d+)(?: kB)?$/;
