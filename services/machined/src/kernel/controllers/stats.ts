import { type Controller, exclusive } from '@nodewright/controllers';
import { parseMeminfo, parseStat } from '@nodewright/linux';
import { pointerTo } from '@nodewright/state';
import { cpuStats, memoryStats } from '@nodewright/state/kinds';
import type { KernelFiles } from '../../base/host/kernel-files.ts';
import { memoryStatSpec } from '../domain/memory-stats.ts';
import { cpuStatSpec } from './cpu-stat-spec.ts';

/** Source: Talos v1.14: COSI resources, perf. */
const periodMs = 30_000;

/** Publishes processor time and memory at intervals. */
export function statsController(kernel: Pick<KernelFiles, 'read'>): Controller {
  return {
    name: 'perf.StatsController',
    inputs: [],
    outputs: [exclusive(cpuStats), exclusive(memoryStats)],
    async reconcile(pass) {
      pass.wakeAfter(periodMs);
      const cpu = cpuStatSpec(parseStat(kernel.read('/proc/stat')));
      const memory = memoryStatSpec(parseMeminfo(kernel.read('/proc/meminfo')));
      await pass.put({ ...pointerTo(cpuStats), spec: cpu });
      await pass.put({ ...pointerTo(memoryStats), spec: memory });
    },
  };
}
