import type { EtcdClient, EtcdKeyValue } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { recordFromText, recordPrefix, recordText } from '../domain/node-record.ts';
import type { KeptRecord, KeptRecords, NodeRecordStore } from '../domain/node-record-store.ts';

/** The deadline of a call: etcd without a quorum does not fail a call, it just never answers. */
const timeoutMs = 4000;

/** Opens the node records of a cluster in its etcd. The store owns the client and disposes it. */
export function etcdRecords(client: EtcdClient, log: Logger): NodeRecordStore {
  const closed = new AbortController();
  const options = { timeoutMs, signal: closed.signal };
  return {
    follow: (signal) => followRecords(client, AbortSignal.any([signal, closed.signal]), log),
    async write(record, leaseSeconds) {
      const lease = await client.createLease(leaseSeconds, options);
      await client.put(recordPrefix + record.nodeId, recordText(record), { ...options, lease });
      return lease;
    },
    keepAlive: async (leaseId) => (await client.keepLeaseAlive(leaseId, options)) > 0,
    remove: async (nodeId) => void (await client.delete(recordPrefix + nodeId, options)),
    async [Symbol.asyncDispose]() {
      if (closed.signal.aborted) return;
      closed.abort();
      await client[Symbol.asyncDispose]();
    },
  };
}

async function* followRecords(
  client: EtcdClient,
  signal: AbortSignal,
  log: Logger,
): AsyncGenerator<KeptRecords> {
  const records = new Map<string, KeptRecord>();
  const take = ({ key, value, lease }: EtcdKeyValue) => {
    const nodeId = key.slice(recordPrefix.length);
    try {
      records.set(nodeId, { record: recordFromText(key, Buffer.from(value).toString()), leaseId: lease });
    } catch (error) {
      // Another program has written this value. The other records are still valid.
      log.warn({ error: faultFrom(error).message }, 'node record ignored');
      records.delete(nodeId);
    }
  };
  // The watch waits silently for a quorum. Listing the records first fails when there is none.
  await client.list(recordPrefix, { timeoutMs, signal });
  for await (const event of client.watchPrefix(recordPrefix, signal)) {
    if (event.kind === 'all') {
      records.clear();
      for (const keyValue of event.keyValues) take(keyValue);
    } else {
      for (const change of event.changes) {
        if (change.kind === 'put') take(change.keyValue);
        else records.delete(change.key.slice(recordPrefix.length));
      }
    }
    yield new Map(records);
  }
}
