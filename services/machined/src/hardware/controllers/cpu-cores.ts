import type { CpuInfo } from '@nodewright/linux';
import type { CpuCoreSpec } from '@nodewright/state/kinds';
import type { Identified } from './system-information.ts';

/**
 * The cores with the numbers of their logical processors. Source: Talos v1.14: hardware.CPUInfoController.
 */
export function cpuCoresOf(processors: readonly CpuInfo[]): Identified<CpuCoreSpec>[] {
  const cores = Map.groupBy(processors, coreId);
  // Usually all cores have the same long lists, and some machines have hundreds of cores.
  const lists = new Map<string, readonly string[]>();
  const once = (list: readonly string[]) => lists.getOrInsert(list.join(' '), list);
  return [...cores].map(([id, threads]) => {
    const spec = specOf(threads[0] as CpuInfo);
    const logicalCPUs = threads.map(({ processor }) => processor);
    return { id, spec: { ...spec, logicalCPUs, flags: once(spec.flags), bugs: once(spec.bugs) } };
  });
}

/** Some architectures do not report the core of a processor. */
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
