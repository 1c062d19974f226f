/**
 * The numbers of `/proc/meminfo` by the kernel's own names (`MemTotal`, `Active(anon)`, ...): KiB, except the four
 * `HugePages_*` counts, which are pages. Lines of another shape are left out, so a name that the running kernel does
 * not know is simply absent.
 */
export function parseMeminfo(text: string): ReadonlyMap<string, bigint> {
  const numbers = new Map<string, bigint>();
  for (const line of text.split('\n')) {
    const match = linePattern.exec(line);
    if (match) numbers.set(match[1] as string, BigInt(match[2] as string));
  }
  return numbers;
}

const linePattern = /^([^:\s]+):\s*(\d+)(?: kB)?$/;
