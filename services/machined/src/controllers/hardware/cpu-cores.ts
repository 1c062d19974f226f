import type { CpuInfo } from '@nodewright/linux';
import type { CpuCoreSpec } from '@nodewright/state/kinds';
import type { Identified } from './system-information.ts';

/** Cores with the processors that they are to the kernel. Source: Talos v1.14: hardware.CPUInfoController. */
export function cpuCoresOf(processors: readonly CpuInfo[]): Identified<CpuCoreSpec>[] {
  const cores = Map.groupBy(processors, coreId);
  return [...cores].map(([id, threads]) => ({
    id,
    spec: { ...specOf(threads[0] as CpuInfo), logicalCPUs: threads.map(({ processor }) => processor) },
  }));
}

/** Some architectures do not say which core a processor is. */
function coreId({ physicalId, coreId: core, processor }: CpuInfo): string {
  return physicalId === '' || core === '' ? String(processor) : `${physicalId}-${core}`;
}

function specOf(cpu: CpuInfo): Omit<CpuCoreSpec, 'logicalCPUs'> {
  return {
    socket: cpu.physicalId,
    coreID: cpu.coreId,
    vendorID: cpu.vendorId,
    cpuFamily: cpu.cpuFamily,
    model: cpu.model,
    modelName: cpu.modelName,
    stepping: cpu.stepping,
    microcode: cpu.microcode,
    cacheSize: cpu.cacheSize,
    coresPerSocket: cpu.cpuCores,
    threadsPerSocket: cpu.siblings,
    flags: cpu.flags,
    bugs: cpu.bugs,
    bogoMips: cpu.bogoMips,
    addressSizes: cpu.addressSizes,
  };
}
