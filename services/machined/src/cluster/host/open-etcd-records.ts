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
 * Opens the node records in the etcd of the cluster, at the endpoints that accept connections. The etcd
 * client is a large module, so it is loaded only when an endpoint has answered.
 *
 * @throws Fault `unavailable` when no endpoint accepts connections
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

/** Resolves when the endpoint accepts a connection. */
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
