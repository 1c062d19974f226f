import type {
  CPUInfo,
  CPUStat,
  DiskStats,
  LoadAvg,
  MemInfo,
  NetworkDeviceStats,
  ProcessInfo,
  ServiceInfo,
  SystemStat,
} from '@nodewright/contract/gen/machine/machine.ts';

/** One sample of a node. Values that it does not have or does not report are undefined. */
export interface Sample {
  readonly atMs: number;
  /** The same moment on a clock that goes on evenly when somebody sets the time: for what passed between two samples. */
  readonly elapsedMs: number;
  readonly load?: LoadAvg | undefined;
  readonly memory?: MemInfo | undefined;
  readonly system?: SystemStat | undefined;
  readonly services?: readonly ServiceInfo[] | undefined;
  readonly network?: NetworkDeviceStats | undefined;
  readonly disks?: DiskStats | undefined;
  readonly processes?: readonly ProcessInfo[] | undefined;
  readonly cpus?: readonly CPUInfo[] | undefined;
}

/** Shares of the time of all processors, 0 to 1, between two samples. */
export interface CpuUsage {
  readonly total: number;
  readonly user: number;
  readonly system: number;
  readonly waiting: number;
  readonly stolen: number;
}

/** Undefined until there are two samples of the same boot. */
export function cpuUsage(now: CPUStat | undefined, before: CPUStat | undefined): CpuUsage | undefined {
  if (now === undefined || before === undefined) return undefined;
  const passed = (...keys: readonly (keyof CPUStat)[]) =>
    keys.reduce((sum, key) => sum + now[key] - before[key], 0);
  const all = passed('user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softIrq', 'steal');
  if (all <= 0) return undefined;
  const share = (...keys: readonly (keyof CPUStat)[]) => Math.max(0, passed(...keys)) / all;
  return {
    total: share('user', 'nice', 'system', 'irq', 'softIrq', 'steal'),
    user: share('user', 'nice'),
    system: share('system', 'irq', 'softIrq'),
    waiting: share('iowait'),
    stolen: share('steal'),
  };
}

/** The rate of a counter, in units per second; undefined when the counter was reset between the samples. */
export function ratePerSecond(now: bigint, before: bigint | undefined, passedMs: number): number | undefined {
  if (before === undefined || passedMs <= 0 || now < before) return undefined;
  return (Number(now - before) * 1000) / passedMs;
}

export interface DeviceRates {
  readonly name: string;
  /** Bytes per second: received and sent for interfaces, read and written for disks. */
  readonly inRate: number | undefined;
  readonly outRate: number | undefined;
  /** For interfaces: errors and drops since boot. For disks: the share of time in use. */
  readonly errors: number;
  readonly busy: number | undefined;
}

/** The interfaces with traffic, busiest first. */
export function networkRates(now: Sample, before: Sample | undefined): DeviceRates[] {
  const old = new Map(before?.network?.devices.map((device) => [device.name, device]));
  const passedMs = now.elapsedMs - (before?.elapsedMs ?? now.elapsedMs);
  return (now.network?.devices ?? [])
    .map((device) => ({
      name: device.name,
      inRate: ratePerSecond(device.rxBytes, old.get(device.name)?.rxBytes, passedMs),
      outRate: ratePerSecond(device.txBytes, old.get(device.name)?.txBytes, passedMs),
      errors: Number(device.rxErrors + device.txErrors + device.rxDropped + device.txDropped),
      busy: undefined,
    }))
    .sort(byTraffic);
}

const sectorBytes = 512;

/** The disks with any I/O since boot, busiest first. */
export function diskRates(now: Sample, before: Sample | undefined): DeviceRates[] {
  const old = new Map(before?.disks?.devices.map((device) => [device.name, device]));
  const passedMs = now.elapsedMs - (before?.elapsedMs ?? now.elapsedMs);
  const bytes = (sectors: number | undefined) => (sectors === undefined ? undefined : sectors * sectorBytes);
  return (now.disks?.devices ?? [])
    .filter(({ readSectors, writeSectors }) => readSectors + writeSectors > 0n)
    .map((device) => {
      const last = old.get(device.name);
      const busyMs = ratePerSecond(device.ioTimeMs, last?.ioTimeMs, passedMs);
      return {
        name: device.name,
        inRate: bytes(ratePerSecond(device.readSectors, last?.readSectors, passedMs)),
        outRate: bytes(ratePerSecond(device.writeSectors, last?.writeSectors, passedMs)),
        errors: 0,
        busy: busyMs === undefined ? undefined : Math.min(1, busyMs / 1000),
      };
    })
    .sort(byTraffic);
}

function byTraffic(a: DeviceRates, b: DeviceRates): number {
  const traffic = ({ inRate = 0, outRate = 0 }: DeviceRates) => inRate + outRate;
  return traffic(b) - traffic(a) || (a.name < b.name ? -1 : 1);
}

export interface ProcessUsage {
  readonly process: ProcessInfo;
  /** In processors: 2 means two whole ones. Undefined for a process that was not in the sample before. */
  readonly cpu: number | undefined;
}

export type ProcessOrder = 'cpu' | 'memory';

/** The processes with their use since the sample before. */
export function processUsages(now: Sample, before: Sample | undefined, order: ProcessOrder): ProcessUsage[] {
  const old = new Map(before?.processes?.map((process) => [process.pid, process]));
  const passedMs = now.elapsedMs - (before?.elapsedMs ?? now.elapsedMs);
  const usages = (now.processes ?? []).map((process) => {
    const last = old.get(process.pid);
    const used = last === undefined ? -1 : process.cpuTime - last.cpuTime;
    return { process, cpu: used < 0 || passedMs <= 0 ? undefined : (used * 1000) / passedMs };
  });
  const memory = (a: ProcessUsage, b: ProcessUsage) =>
    Number(b.process.residentMemory - a.process.residentMemory) || a.process.pid - b.process.pid;
  return usages.sort(order === 'memory' ? memory : (a, b) => (b.cpu ?? 0) - (a.cpu ?? 0) || memory(a, b));
}

/** The share of memory in use that cannot be reclaimed. */
export function memoryShare(memory: MemInfo | undefined): number | undefined {
  if (memory === undefined || memory.memtotal === 0n) return undefined;
  return Number(memory.memtotal - memory.memavailable) / Number(memory.memtotal);
}
