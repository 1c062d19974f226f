import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import {
  diskCounterNames,
  networkDeviceCounterNames,
  parseCpuinfo,
  parseDiskstats,
  parseLoadavg,
  parseMeminfo,
  parseNetDev,
  parseStat,
  readCpuFrequencies,
  sumCounters,
} from '@nodewright/linux';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import type { KernelFiles } from '../../base/host/kernel-files.ts';
import { cpuInfoMessage, meminfoMessage, systemStatMessage } from './kernel-messages.ts';

type KernelStatistics = Pick<
  MachineServiceImplementation,
  'memory' | 'loadAvg' | 'systemStat' | 'cPUInfo' | 'cPUFreqStats' | 'networkDeviceStats' | 'diskStats'
>;

/** The calls that read one kernel file and return its numbers. Source: Talos v1.14: monitoring. */
export function createKernelStatistics(kernel: KernelFiles, telemetry: Telemetry): KernelStatistics {
  return {
    async memory() {
      return { messages: [{ meminfo: meminfoMessage(parseMeminfo(kernel.read('/proc/meminfo'))) }] };
    },
    async loadAvg() {
      return { messages: [parseLoadavg(kernel.read('/proc/loadavg'))] };
    },
    async systemStat() {
      return { messages: [systemStatMessage(parseStat(kernel.read('/proc/stat')))] };
    },
    async cPUInfo() {
      return { messages: [{ cpuInfo: parseCpuinfo(kernel.read('/proc/cpuinfo')).map(cpuInfoMessage) }] };
    },
    async cPUFreqStats() {
      const frequencies = await inSpan(telemetry, 'read CPU frequencies', async () => readCpuFrequencies());
      const cpuFreqStats = frequencies.map((frequency) =>
        frequency === undefined
          ? {}
          : {
              currentFrequency: frequency.currentKhz,
              minimumFrequency: frequency.minimumKhz,
              maximumFrequency: frequency.maximumKhz,
              governor: frequency.governor,
            },
      );
      return { messages: [{ cpuFreqStats }] };
    },
    async networkDeviceStats() {
      const devices = parseNetDev(kernel.read('/proc/net/dev'));
      const names = devices.map(({ name }) => name).sort();
      const sum = sumCounters(
        networkDeviceCounterNames,
        devices.map(({ counters }) => counters),
      );
      return {
        messages: [
          {
            total: { name: names.join(', '), ...sum },
            devices: devices.map(({ name, counters }) => ({ name, ...counters })),
          },
        ],
      };
    },
    async diskStats() {
      const disks = parseDiskstats(kernel.read('/proc/diskstats'));
      return {
        messages: [
          {
            total: sumCounters(
              diskCounterNames,
              disks.map(({ counters }) => counters),
            ),
            devices: disks.map(({ name, counters }) => ({ name, ...counters })),
          },
        ],
      };
    },
  };
}
