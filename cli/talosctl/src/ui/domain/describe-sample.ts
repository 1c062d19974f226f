import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import {
  cpuUsage,
  type DeviceRates,
  diskRates,
  networkRates,
  processUsages,
  type Sample,
} from '../../dashboard/model/sample.ts';
import { isServiceWell } from '../../dashboard/views/node-words.ts';
import type { DeviceRow, NodeDetail, ServiceState } from '../protocol/messages.ts';
import { limits } from './limits.ts';

/** What the page of a node shows of a sample, with the rates since the sample before. */
export function describeSample(sample: Sample, before: Sample | undefined): NodeDetail {
  const processes = processUsages(sample, before, 'cpu');
  const { memory } = sample;
  return {
    atMs: sample.atMs,
    services: (sample.services ?? []).map(serviceState),
    processCount: processes.length,
    processes: processes.slice(0, limits.processes).map(({ process, cpu }) => ({
      ...{ pid: process.pid, parent: process.ppid, state: process.state, threads: process.threads },
      ...{ cpu, cpuSeconds: process.cpuTime, residentBytes: Number(process.residentMemory) },
      ...{ name: process.command, command: (process.args || process.command).slice(0, 1000) },
    })),
    network: networkRates(sample, before).map(deviceRow),
    disks: diskRates(sample, before).map(deviceRow),
    cpuModel: sample.cpus?.[0]?.modelName,
    cpus: (sample.system?.cpu ?? []).map((now, at) => cpuUsage(now, before?.system?.cpu[at])?.total),
    memory:
      memory === undefined
        ? undefined
        : {
            total: Number(memory.memtotal) * 1024,
            used: Number(memory.memtotal - memory.memavailable) * 1024,
            buffers: Number(memory.buffers) * 1024,
            cached: Number(memory.cached) * 1024,
            free: Number(memory.memfree) * 1024,
          },
  };
}

const deviceRow = ({ name, inRate, outRate, errors, busy }: DeviceRates): DeviceRow => ({
  ...{ name, inRate, outRate, errors, busy },
});

function serviceState(service: ServiceInfo): ServiceState {
  const { id, state, health, events } = service;
  const isKnown = health !== undefined && !health.unknown;
  return {
    ...{ id, state, isWell: isServiceWell(service), message: health?.lastMessage ?? '' },
    health: isKnown ? (health.healthy ? 'healthy' : 'unhealthy') : 'unknown',
    events: (events?.events ?? [])
      .map(({ ts, state: became, msg }) => ({
        atMs: ts === undefined ? 0 : Number(ts.seconds) * 1000 + Math.floor(ts.nanos / 1e6),
        ...{ state: became, message: msg },
      }))
      .reverse(),
  };
}
