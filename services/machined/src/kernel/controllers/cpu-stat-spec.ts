import type { CpuTimes, KernelStatistics } from '@nodewright/linux';
import type { CpuStatSpec } from '@nodewright/state/kinds';

const noTimes: CpuTimes = {
  ...{ user: 0, nice: 0, system: 0, idle: 0, iowait: 0 },
  ...{ irq: 0, softIrq: 0, steal: 0, guest: 0, guestNice: 0 },
};

/**
 * Times in seconds. The list is indexed by CPU number; an offline CPU has zeros. Source: Talos v1.14: COSI
 * resources, CPUStats.
 */
export function cpuStatSpec(statistics: KernelStatistics): CpuStatSpec {
  return {
    cpu: statistics.cpus.map((times) => ({ ...(times ?? noTimes) })),
    cpuTotal: { ...statistics.cpuTotal },
    irqTotal: Number(statistics.interruptTotal),
    contextSwitches: Number(statistics.contextSwitches),
    processCreated: Number(statistics.processesCreated),
    processRunning: Number(statistics.processesRunning),
    processBlocked: Number(statistics.processesBlocked),
    softIrqTotal: Number(statistics.softInterruptTotal),
  };
}
