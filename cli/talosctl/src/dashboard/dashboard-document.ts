import { serviceDocument } from '../nodes/service-rows.ts';
import type { NodeModel } from './model/model.ts';
import { cpuUsage, diskRates, memoryShare, networkRates, processUsages } from './model/sample.ts';

const mostProcesses = 10;

/**
 * The nodes at one time, for scripts. Values that a node does not report are null, and so are rates before
 * the second sample.
 */
export function dashboardDocument(nodes: readonly NodeModel[], now: Date): object {
  return { time: now.toISOString(), nodes: nodes.map(nodeDocument) };
}

function nodeDocument(node: NodeModel): object {
  const { name, reach, facts, sample, before } = node;
  if (reach.kind === 'away') {
    const { message, hop = null, sinceMs } = reach;
    return { node: name, reachable: false, error: { message, hop }, since: new Date(sinceMs).toISOString() };
  }
  if (sample === undefined) return { node: name, reachable: false, error: null };
  const { memory, load, system, services } = sample;
  const devices = (rates: ReturnType<typeof networkRates>, [into, out]: readonly [string, string]) =>
    rates.map((rate) => ({
      name: rate.name,
      [into]: rate.inRate ?? null,
      [out]: rate.outRate ?? null,
      ...(rate.busy === undefined ? {} : { busy: rate.busy }),
    }));
  return {
    node: name,
    reachable: true,
    hostname: facts.hostname?.hostname ?? null,
    type: facts.type ?? null,
    stage: facts.status?.stage ?? null,
    ready: facts.status?.status.ready ?? null,
    unmetConditions: facts.status?.status.unmetConditions ?? [],
    version: facts.version?.version ?? null,
    bootTime: system === undefined ? null : isoTimeOf(system.bootTime),
    cpu: cpuUsage(system?.cpuTotal, before?.system?.cpuTotal) ?? null,
    cpus: system?.cpu.length ?? null,
    memory:
      memory === undefined
        ? null
        : {
            totalBytes: memory.memtotal * 1024n,
            availableBytes: memory.memavailable * 1024n,
            share: memoryShare(memory) ?? null,
          },
    load: load === undefined ? null : [load.load1, load.load5, load.load15],
    interfaces: devices(networkRates(sample, before), ['receivedPerSecond', 'sentPerSecond']),
    disks: devices(diskRates(sample, before), ['readPerSecond', 'writtenPerSecond']),
    services: services?.map(serviceDocument) ?? null,
    processes: processUsages(sample, before, 'cpu')
      .slice(0, mostProcesses)
      .map(({ process, cpu }) => ({
        ...{ pid: process.pid, command: process.command, state: process.state },
        ...{ cpu: cpu ?? null, residentBytes: process.residentMemory, threads: process.threads },
      })),
    diagnostics: facts.diagnostics?.map(({ id, spec }) => ({ id, ...spec })) ?? [],
  };
}

/** Null for a time that no calendar has. @param seconds Unix time */
function isoTimeOf(seconds: bigint): string | null {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
