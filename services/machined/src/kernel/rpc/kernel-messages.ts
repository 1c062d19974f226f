// Maps the kernel's numbers to the fields of the messages.
import type { CPUInfo, CPUStat, MemInfo, SystemStat } from '@nodewright/contract/gen/machine/machine.ts';
import type { CpuInfo, KernelStatistics } from '@nodewright/linux';

const meminfoFields = {
  memtotal: 'MemTotal',
  memfree: 'MemFree',
  memavailable: 'MemAvailable',
  buffers: 'Buffers',
  cached: 'Cached',
  swapcached: 'SwapCached',
  active: 'Active',
  inactive: 'Inactive',
  activeanon: 'Active(anon)',
  inactiveanon: 'Inactive(anon)',
  activefile: 'Active(file)',
  inactivefile: 'Inactive(file)',
  unevictable: 'Unevictable',
  mlocked: 'Mlocked',
  swaptotal: 'SwapTotal',
  swapfree: 'SwapFree',
  dirty: 'Dirty',
  writeback: 'Writeback',
  anonpages: 'AnonPages',
  mapped: 'Mapped',
  shmem: 'Shmem',
  slab: 'Slab',
  sreclaimable: 'SReclaimable',
  sunreclaim: 'SUnreclaim',
  kernelstack: 'KernelStack',
  pagetables: 'PageTables',
  nfsunstable: 'NFS_Unstable',
  bounce: 'Bounce',
  writebacktmp: 'WritebackTmp',
  commitlimit: 'CommitLimit',
  committedas: 'Committed_AS',
  vmalloctotal: 'VmallocTotal',
  vmallocused: 'VmallocUsed',
  vmallocchunk: 'VmallocChunk',
  hardwarecorrupted: 'HardwareCorrupted',
  anonhugepages: 'AnonHugePages',
  shmemhugepages: 'ShmemHugePages',
  shmempmdmapped: 'ShmemPmdMapped',
  cmatotal: 'CmaTotal',
  cmafree: 'CmaFree',
  hugepagestotal: 'HugePages_Total',
  hugepagesfree: 'HugePages_Free',
  hugepagesrsvd: 'HugePages_Rsvd',
  hugepagessurp: 'HugePages_Surp',
  hugepagesize: 'Hugepagesize',
  directmap4k: 'DirectMap4k',
  directmap2m: 'DirectMap2M',
  directmap1g: 'DirectMap1G',
} as const satisfies Record<keyof MemInfo, string>;

/** Numbers as in `/proc/meminfo`: KiB, and pages for the four counts of huge pages. A missing line is 0. */
export function meminfoMessage(numbers: ReadonlyMap<string, bigint>): MemInfo {
  return Object.fromEntries(
    Object.entries(meminfoFields).map(([field, name]) => [field, numbers.get(name) ?? 0n]),
  ) as unknown as MemInfo;
}

/** Times in seconds. An offline CPU is an empty message at its index. */
export function systemStatMessage(statistics: KernelStatistics): SystemStat {
  return {
    metadata: undefined,
    bootTime: statistics.bootTime,
    cpuTotal: statistics.cpuTotal,
    cpu: statistics.cpus.map((times) => times ?? noTimes),
    irqTotal: statistics.interruptTotal,
    irq: [...statistics.interrupts],
    contextSwitches: statistics.contextSwitches,
    processCreated: statistics.processesCreated,
    processRunning: statistics.processesRunning,
    processBlocked: statistics.processesBlocked,
    softIrqTotal: statistics.softInterruptTotal,
    softIrq: { ...statistics.softInterrupts, blockIoPoll: statistics.softInterrupts.irqPoll },
  };
}

const noTimes: CPUStat = {
  user: 0,
  nice: 0,
  system: 0,
  idle: 0,
  iowait: 0,
  irq: 0,
  softIrq: 0,
  steal: 0,
  guest: 0,
  guestNice: 0,
};

/**
 * `cpuCores` stays 0: upstream does not set it either, and clients count the entries. Source: Talos v1.14:
 * CPUInfo.
 */
export function cpuInfoMessage(cpu: CpuInfo): CPUInfo {
  return {
    processor: cpu.processor,
    vendorId: cpu.vendorId,
    cpuFamily: cpu.cpuFamily,
    model: cpu.model,
    modelName: cpu.modelName,
    stepping: cpu.stepping,
    microcode: cpu.microcode,
    cpuMhz: cpu.cpuMhz,
    cacheSize: cpu.cacheSize,
    physicalId: cpu.physicalId,
    siblings: cpu.siblings,
    coreId: cpu.coreId,
    cpuCores: 0,
    apicId: cpu.apicId,
    initialApicId: cpu.initialApicId,
    fpu: cpu.fpu,
    fpuException: cpu.fpuException,
    cpuIdLevel: cpu.cpuidLevel,
    wp: cpu.wp,
    flags: [...cpu.flags],
    bugs: [...cpu.bugs],
    bogoMips: cpu.bogoMips,
    clFlushSize: cpu.clflushSize,
    cacheAlignment: cpu.cacheAlignment,
    addressSizes: cpu.addressSizes,
    powerManagement: cpu.powerManagement,
  };
}
