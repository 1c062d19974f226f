import { once } from 'node:events';
import { connect } from 'node:net';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { NodeRecordStore } from '../domain/node-record-store.ts';
import type { EtcdPlan } from './follow-plan.ts';

export interface OpenEtcdRecordsInit {
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly signal: AbortSignal;
}

const dialTimeoutMs = 2000;

/**
 * Opens the node records in the etcd of the cluster, at the endpoints where somebody listens. The library is large: it is
 * not loaded before there is an etcd to talk to.
 *
 * @throws Fault `unavailable` while nobody listens at any of them
 */
export async function openEtcdRecords(
  { endpoints, tls }: EtcdPlan,
  { log, telemetry, signal }: OpenEtcdRecordsInit,
): Promise<NodeRecordStore> {
  const probes = await Promise.allSettled(endpoints.map((endpoint) => probe(endpoint, signal)));
  const listening = endpoints.filter((_endpoint, index) => probes[index]?.status === 'fulfilled');
  if (listening.length === 0) {
    const reason = probes.find((result) => result.status === 'rejected')?.reason;
    throw new Fault('unavailable', `no etcd at ${endpoints.join(', ')}: ${faultFrom(reason).message}`);
  }
  const [{ openEtcdClient }, { etcdRecords }] = await Promise.all([
    import('@nodewright/etcd'),
    import('./etcd-records.ts'),
  ]);
  return etcdRecords(openEtcdClient({ endpoints: listening, tls, telemetry, dialTimeoutMs }), log);
}

/** Resolves when somebody accepts connections there. */
async function probe(endpoint: string, signal: AbortSignal): Promise<void> {
  const colon = endpoint.lastIndexOf(':');
  const host = endpoint.slice(0, colon).replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(endpoint.slice(colon + 1)),
    family: host.includes(':') ? 6 : 4,
  });
  try {
    await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(dialTimeoutMs)]) });
  } finally {
    socket.destroy();
  }
}
