import type { MemoryStatSpec } from '@nodewright/state/kinds';

/** The names of the kernel; `used` is computed. */
const names = {
  total: 'MemTotal',
  available: 'MemAvailable',
  buffers: 'Buffers',
  cached: 'Cached',
  swapCached: 'SwapCached',
  active: 'Active',
  inactive: 'Inactive',
  activeAnon: 'Active(anon)',
  inactiveAnon: 'Inactive(anon)',
  activeFile: 'Active(file)',
  inactiveFile: 'Inactive(file)',
  unevictable: 'Unevictable',
  mlocked: 'Mlocked',
  swapTotal: 'SwapTotal',
  swapFree: 'SwapFree',
  dirty: 'Dirty',
  writeback: 'Writeback',
  anonPages: 'AnonPages',
  mapped: 'Mapped',
  shmem: 'Shmem',
  slab: 'Slab',
  sreclaimable: 'SReclaimable',
  sunreclaim: 'SUnreclaim',
  kernelStack: 'KernelStack',
  pageTables: 'PageTables',
  nfsunstable: 'NFS_Unstable',
  bounce: 'Bounce',
  writeBacktmp: 'WritebackTmp',
  commitLimit: 'CommitLimit',
  commitTedas: 'Committed_AS',
  vmallocTotal: 'VmallocTotal',
  vmallocUsed: 'VmallocUsed',
  vmallocChunk: 'VmallocChunk',
  hardwareCorrupted: 'HardwareCorrupted',
  anonHugePages: 'AnonHugePages',
  shmemHugePages: 'ShmemHugePages',
  shmemPmdMapped: 'ShmemPmdMapped',
  cmaTotal: 'CmaTotal',
  cmaFree: 'CmaFree',
  hugePagesTotal: 'HugePages_Total',
  hugePagesFree: 'HugePages_Free',
  hugePagesRsvd: 'HugePages_Rsvd',
  hugePagesSurp: 'HugePages_Surp',
  hugepagesize: 'Hugepagesize',
  directMap4k: 'DirectMap4k',
  directMap2m: 'DirectMap2M',
  directMap1g: 'DirectMap1G',
} as const satisfies Record<Exclude<keyof MemoryStatSpec, 'used'>, string>;

/** Values that the kernel does not print are 0. Source: Talos v1.14: COSI resources, MemoryStats. */
export function memoryStatSpec(numbers: ReadonlyMap<string, bigint>): MemoryStatSpec {
  const number = (name: string) => Number(numbers.get(name) ?? 0n);
  const { total, ...others } = Object.fromEntries(
    Object.entries(names).map(([field, name]) => [field, number(name)]),
  ) as Omit<MemoryStatSpec, 'used'>;
  return { total, used: total - number('MemFree'), ...others };
}
