import type { EtcdClient, EtcdKeyValue } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { recordFromText, recordPrefix, recordText } from '../domain/node-record.ts';
import type { KeptRecord, KeptRecords, NodeRecordStore } from '../domain/node-record-store.ts';

/** An etcd without a quorum does not say so; it just does not answer. */
const timeoutMs = 4000;

/** The node records of a cluster in its etcd. Takes the client over: disposing the store disposes it. */
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
      // Somebody else has written there; the nodes that can be read are still the nodes.
      log.warn({ error: faultFrom(error).message }, 'node record ignored');
      records.delete(nodeId);
    }
  };
  // The watch waits without a word for a quorum: the first list is asked for, so that this fails.
  await client.list(recordPrefix, { timeoutMs, signal });
  for await (const news of client.watchPrefix(recordPrefix, signal)) {
    if (news.kind === 'all') {
      records.clear();
      for (const keyValue of news.keyValues) take(keyValue);
    } else {
      for (const change of news.changes) {
        if (change.kind === 'put') take(change.keyValue);
        else records.delete(change.key.slice(recordPrefix.length));
      }
    }
    yield new Map(records);
  }
}
