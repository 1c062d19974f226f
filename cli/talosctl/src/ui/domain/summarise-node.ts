import { type Facts, sharesHost } from '../../dashboard/model/facts.ts';
import { cpuUsage, memoryShare, type Sample } from '../../dashboard/model/sample.ts';
import { isServiceWell } from '../../dashboard/views/node-words.ts';
import type { EtcdMember, NodeSummary, Point, Reach, Trouble } from '../protocol/messages.ts';

export interface KnownNode {
  readonly name: string;
  readonly reach: Reach;
  readonly sample: Sample | undefined;
  readonly facts: Facts;
  readonly etcd: EtcdMember | undefined;
  readonly isEtcdSilent: true | undefined;
}

/** What the map shows of a node. */
export function summariseNode(known: KnownNode): NodeSummary {
  const { name, reach, sample, facts, etcd, isEtcdSilent } = known;
  const { load, memory, system, services = [] } = sample ?? {};
  const bootSeconds = Number(system?.bootTime ?? 0n);
  return {
    ...{ name, reach, role: facts.type, hostname: facts.hostname?.hostname, version: facts.version?.version },
    ...{ stage: facts.status?.stage, isReady: facts.status?.status.ready },
    bootMs: bootSeconds === 0 ? undefined : bootSeconds * 1000,
    sharesHost: sharesHost(facts),
    cpus: system?.cpu.length,
    load: load === undefined ? undefined : [load.load1, load.load5, load.load15],
    memory:
      memory === undefined
        ? undefined
        : {
            usedBytes: Number(memory.memtotal - memory.memavailable) * 1024,
            totalBytes: Number(memory.memtotal) * 1024,
          },
    services: services.map(({ id }) => id).sort(),
    troubles: troublesOf(facts, sample, etcd),
    etcd,
    isEtcdSilent,
  };
}

/** Why the node is not well, the most important first. */
function troublesOf(facts: Facts, sample: Sample | undefined, etcd: EtcdMember | undefined): Trouble[] {
  const unmet = (facts.status?.status.unmetConditions ?? []).map(({ name, reason }) => ({ name, reason }));
  const unwell = (sample?.services ?? [])
    .filter((service) => !isServiceWell(service))
    .map(({ id, state, health, events }) => ({
      name: id,
      reason: [state, health?.lastMessage || events?.events.at(-1)?.msg].filter(Boolean).join(': '),
    }));
  const alarms = [...(etcd?.alarms ?? []), ...(etcd?.errors ?? [])];
  return [...unmet, ...unwell, ...alarms.map((reason) => ({ name: 'etcd', reason }))];
}

/** A point of the history. Shares of processors need the sample before. */
export function pointOf(sample: Sample, before: Sample | undefined): Point {
  return {
    atMs: sample.atMs,
    cpu: rounded(cpuUsage(sample.system?.cpuTotal, before?.system?.cpuTotal)?.total),
    memory: rounded(memoryShare(sample.memory)),
    load: sample.load?.load1,
  };
}

/** Four digits are more than a picture shows. */
const rounded = (share: number | undefined) =>
  share === undefined ? undefined : Math.round(share * 10_000) / 10_000;
