import { type EtcdClient, type EtcdKeyValue, etcdIdText } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { controlPlaneKey, controlPlanePrefix } from '../../base/domain/control-plane-key.ts';
import { keptControlPlane, recordFromText, recordPrefix, recordText } from '../domain/node-record.ts';
import type {
  KeptControlPlane,
  KeptRecord,
  KeptRecords,
  NodeRecordStore,
} from '../domain/node-record-store.ts';

/** The deadline of a call: etcd without a quorum does not fail a call, it just never answers. */
const timeoutMs = 4000;

/** Opens the node records of a cluster in its etcd. The store owns the client and disposes it. */
export function etcdRecords(client: EtcdClient, log: Logger): NodeRecordStore {
  const closed = new AbortController();
  const options = { timeoutMs, signal: closed.signal };
  const memberIds = async () => {
    const members = await client.members({ ...options, linearizable: true });
    return new Set(members.map(({ id }) => etcdIdText(id)));
  };
  const hasMember = async (memberId: string) => (await memberIds()).has(memberId);
  return {
    follow: (signal) => followRecords(client, AbortSignal.any([signal, closed.signal]), log),
    async write(record, leaseSeconds) {
      const lease = await client.createLease(leaseSeconds, options);
      await client.put(recordPrefix + record.nodeId, recordText(record), { ...options, lease });
      return lease;
    },
    keepAlive: async (leaseId) => (await client.keepLeaseAlive(leaseId, options)) > 0,
    remove: async (nodeId) => void (await client.delete(recordPrefix + nodeId, options)),
    followControlPlanes: (signal) =>
      followControlPlanes(client, AbortSignal.any([signal, closed.signal]), log),
    async keepControlPlane({ record, memberId }) {
      if (!(await hasMember(memberId))) return false;
      await client.put(controlPlaneKey(memberId), recordText(record), options);
      // The code that removes the member deletes its key afterwards. A write in between must not stay.
      if (await hasMember(memberId)) return true;
      await client.delete(controlPlaneKey(memberId), options);
      return false;
    },
    removeControlPlane: async (memberId) => void (await client.delete(controlPlaneKey(memberId), options)),
    async removeFormerControlPlanes(kept) {
      // A key is written only while etcd has its member, and no id is used twice. So a member that is missing now has left.
      const current = await memberIds();
      const former = kept.filter((memberId) => !current.has(memberId));
      for (const memberId of former) await client.delete(controlPlaneKey(memberId), options);
      return former;
    },
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
  const decode = ({ key, value, lease }: EtcdKeyValue): KeptRecord => ({
    record: recordFromText(key, Buffer.from(value).toString()),
    leaseId: lease,
  });
  for await (const values of followPrefix(client, { prefix: recordPrefix, decode, log }, signal)) {
    yield new Map([...values].map(([key, kept]) => [key.slice(recordPrefix.length), kept]));
  }
}

async function* followControlPlanes(
  client: EtcdClient,
  signal: AbortSignal,
  log: Logger,
): AsyncGenerator<readonly KeptControlPlane[]> {
  const decode = ({ key, value }: EtcdKeyValue) => keptControlPlane(key, Buffer.from(value).toString());
  for await (const values of followPrefix(client, { prefix: controlPlanePrefix, decode, log }, signal)) {
    yield [...values.values()];
  }
}

interface FollowedPrefix<T> {
  readonly prefix: string;
  /** Throws for a value of another form. */
  readonly decode: (keyValue: EtcdKeyValue) => T;
  readonly log: Logger;
}

/** Yields the same map, by key, at first and after each change. */
async function* followPrefix<T>(
  client: EtcdClient,
  { prefix, decode, log }: FollowedPrefix<T>,
  signal: AbortSignal,
): AsyncGenerator<ReadonlyMap<string, T>> {
  const values = new Map<string, T>();
  const take = (keyValue: EtcdKeyValue) => {
    try {
      values.set(keyValue.key, decode(keyValue));
    } catch (error) {
      // Another program has written this value. The other records are still valid.
      log.warn({ error: faultFrom(error).message }, 'node record ignored');
      values.delete(keyValue.key);
    }
  };
  // The watch waits silently for a quorum. Listing the records first fails when there is none.
  await client.list(prefix, { timeoutMs, signal });
  for await (const event of client.watchPrefix(prefix, signal)) {
    if (event.kind === 'all') {
      values.clear();
      for (const keyValue of event.keyValues) take(keyValue);
    } else {
      for (const change of event.changes) {
        if (change.kind === 'put') take(change.keyValue);
        else values.delete(change.key);
      }
    }
    yield values;
  }
}
