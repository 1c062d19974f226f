import type { MemInfo } from '@nodewright/contract/gen/machine/machine.ts';

export interface MemoryField {
  readonly label: string;
  readonly field: keyof MemInfo;
  /** Whether the value is a number of pages rather than KiB. */
  readonly isCount: boolean;
}

const pageCounts: ReadonlySet<string> = new Set([
  'HugePagesTotal',
  'HugePagesFree',
  'HugePagesRsvd',
  'HugePagesSurp',
]);

/** Labels in the order of `memory -v`. A field name is the label in lower case. Source: Talos v1.14: memory. */
const labels = [
  'MemTotal',
  'MemFree',
  'MemAvailable',
  'Buffers',
  'Cached',
  'SwapCached',
  'Active',
  'Inactive',
  'ActiveAnon',
  'InactiveAnon',
  'ActiveFile',
  'InactiveFile',
  'Unevictable',
  'Mlocked',
  'SwapTotal',
  'SwapFree',
  'Dirty',
  'Writeback',
  'AnonPages',
  'Mapped',
  'Shmem',
  'Slab',
  'SReclaimable',
  'SUnreclaim',
  'KernelStack',
  'PageTables',
  'NFSUnstable',
  'Bounce',
  'WritebackTmp',
  'CommitLimit',
  'CommittedAS',
  'VmallocTotal',
  'VmallocUsed',
  'VmallocChunk',
  'HardwareCorrupted',
  'AnonHugePages',
  'ShmemHugePages',
  'ShmemPmdMapped',
  'CmaTotal',
  'CmaFree',
  'HugePagesTotal',
  'HugePagesFree',
  'HugePagesRsvd',
  'HugePagesSurp',
  'Hugepagesize',
  'DirectMap4k',
  'DirectMap2M',
  'DirectMap1G',
] as const;

export const memoryFields: readonly MemoryField[] = labels.map((label) => ({
  label,
  field: label.toLowerCase() as Lowercase<(typeof labels)[number]>,
  isCount: pageCounts.has(label),
}));
