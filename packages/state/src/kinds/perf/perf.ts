import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { double, field, list, message, uint64, type ValueOf } from '../../spec/field-types.ts';

const cpuStat = message({
  user: field(1, double),
  nice: field(2, double),
  system: field(3, double),
  idle: field(4, double),
  iowait: field(5, double),
  irq: field(6, double),
  softIrq: field(7, double),
  steal: field(8, double),
  guest: field(9, double),
  guestNice: field(10, double),
});
export type CPUStat = ValueOf<typeof cpuStat>;

/** CPU times from `/proc/stat`, in seconds. */
export const cpuStats = defineKind({
  type: 'CPUStats.perf.talos.dev',
  defaultNamespace: 'perf',
  singleton: 'latest',
  printColumns: {
    User: '{.cpuTotal.user}',
    System: '{.cpuTotal.system}',
  },
  spec: {
    /** Per-CPU. */
    cpu: field(1, list(cpuStat)),
    cpuTotal: field(2, cpuStat),
    irqTotal: field(3, uint64),
    contextSwitches: field(4, uint64),
    processCreated: field(5, uint64),
    processRunning: field(6, uint64),
    processBlocked: field(7, uint64),
    softIrqTotal: field(8, uint64),
  },
});
export type CpuStatSpec = SpecOf<typeof cpuStats>;

/** Memory usage from `/proc/meminfo`, in kB. */
export const memoryStats = defineKind({
  type: 'MemoryStats.perf.talos.dev',
  defaultNamespace: 'perf',
  singleton: 'latest',
  printColumns: {
    Used: '{.used}',
    Total: '{.total}',
  },
  spec: {
    total: field(1, uint64),
    used: field(2, uint64),
    available: field(3, uint64),
    buffers: field(4, uint64),
    cached: field(5, uint64),
    swapCached: field(6, uint64),
    active: field(7, uint64),
    inactive: field(8, uint64),
    activeAnon: field(9, uint64),
    inactiveAnon: field(10, uint64),
    activeFile: field(11, uint64),
    inactiveFile: field(12, uint64),
    unevictable: field(13, uint64),
    mlocked: field(14, uint64),
    swapTotal: field(15, uint64),
    swapFree: field(16, uint64),
    dirty: field(17, uint64),
    writeback: field(18, uint64),
    anonPages: field(19, uint64),
    mapped: field(20, uint64),
    shmem: field(21, uint64),
    slab: field(22, uint64),
    sreclaimable: field(23, uint64),
    sunreclaim: field(24, uint64),
    kernelStack: field(25, uint64),
    pageTables: field(26, uint64),
    nfsunstable: field(27, uint64),
    bounce: field(28, uint64),
    writeBacktmp: field(29, uint64),
    commitLimit: field(30, uint64),
    commitTedas: field(31, uint64),
    vmallocTotal: field(32, uint64),
    vmallocUsed: field(33, uint64),
    vmallocChunk: field(34, uint64),
    hardwareCorrupted: field(35, uint64),
    anonHugePages: field(36, uint64),
    shmemHugePages: field(37, uint64),
    shmemPmdMapped: field(38, uint64),
    cmaTotal: field(39, uint64),
    cmaFree: field(40, uint64),
    hugePagesTotal: field(41, uint64),
    hugePagesFree: field(42, uint64),
    hugePagesRsvd: field(43, uint64),
    hugePagesSurp: field(44, uint64),
    hugepagesize: field(45, uint64),
    directMap4k: field(46, uint64),
    directMap2m: field(47, uint64),
    directMap1g: field(48, uint64),
  },
});
export type MemoryStatSpec = SpecOf<typeof memoryStats>;
