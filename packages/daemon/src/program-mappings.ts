/** A range of addresses, in bytes. */
export interface AddressRange {
  readonly start: bigint;
  readonly length: bigint;
}

/** As in `00400000-0082e000 r--p 00000000 fe:00 5330246   /usr/bin/node`; without a path for anonymous memory. */
const heading = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \d+ *(.*)$/;

/**
 * Returns the read-only private mappings of `program`'s file that the process has never changed: the kernel has no anonymous page
 * for them, neither in memory nor in swap. So relocated data, which the dynamic loader writes before it makes it read-only, is
 * not among them.
 *
 * Source: proc(5).
 *
 * @param smaps text of `/proc/self/smaps`
 */
export function unchangedProgramMappings(smaps: string, program: string): AddressRange[] {
  const ranges: AddressRange[] = [];
  let range: AddressRange | undefined;
  let unchanged = 0;
  for (const line of smaps.split('\n')) {
    const [, start, end, rights, path] = heading.exec(line) ?? [];
    if (start !== undefined && end !== undefined) {
      const isCandidate = path === program && rights?.[1] === '-' && rights[3] === 'p';
      range = isCandidate
        ? { start: BigInt(`0x${start}`), length: BigInt(`0x${end}`) - BigInt(`0x${start}`) }
        : undefined;
      unchanged = 0;
    } else if (range !== undefined && /^(Anonymous|Swap): +0 kB$/.test(line)) {
      unchanged += 1;
      if (unchanged === 2) ranges.push(range);
    }
  }
  return ranges;
}
