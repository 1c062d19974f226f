import type { EndpointSet } from '../connection/endpoint-set.ts';
import type { EtcdClient } from '../etcd-client.ts';
import { keyValueFrom, messageFromComparison, messageFromOperation, resultFrom } from './key-messages.ts';
import { prefixRange } from './key-range.ts';

type KeyCalls = Pick<EtcdClient, 'get' | 'list' | 'put' | 'delete' | 'deletePrefix' | 'txn' | 'compact'>;

const revisionOf = ({ header }: { header?: { revision: bigint } | undefined }) => header?.revision ?? 0n;

/** The calls of the KV service. */
export function keyCalls(endpoints: EndpointSet): KeyCalls {
  const range = { method: 'KV/Range', repeatable: true } as const;
  const deleteRange = { method: 'KV/DeleteRange', repeatable: false } as const;
  return {
    get: (key, options = {}) =>
      endpoints.call(
        {
          ...range,
          run: async ({ kv }, attempt) => {
            const serializable = options.serializable === true;
            const { kvs } = await kv.range({ key: Buffer.from(key), serializable }, attempt);
            return kvs[0] && keyValueFrom(kvs[0]);
          },
        },
        options,
      ),
    list: (prefix, options = {}) =>
      endpoints.call(
        {
          ...range,
          run: async ({ kv }, attempt) => {
            const serializable = options.serializable === true;
            const reply = await kv.range({ ...prefixRange(prefix), serializable }, attempt);
            const clusterId = reply.header?.clusterId ?? 0n;
            return { keyValues: reply.kvs.map(keyValueFrom), revision: revisionOf(reply), clusterId };
          },
        },
        options,
      ),
    put: (key, value, options = {}) =>
      endpoints.call(
        {
          method: 'KV/Put',
          repeatable: false,
          run: async ({ kv }, attempt) => {
            const { lease = 0n } = options;
            return revisionOf(
              await kv.put({ key: Buffer.from(key), value: Buffer.from(value), lease }, attempt),
            );
          },
        },
        options,
      ),
    delete: (key, options) =>
      endpoints.call(
        {
          ...deleteRange,
          run: async ({ kv }, attempt) => (await kv.deleteRange({ key: Buffer.from(key) }, attempt)).deleted,
        },
        options,
      ),
    deletePrefix: (prefix, options) =>
      endpoints.call(
        {
          ...deleteRange,
          run: async ({ kv }, attempt) => (await kv.deleteRange(prefixRange(prefix), attempt)).deleted,
        },
        options,
      ),
    txn: ({ compare, success, failure = [] }, options) =>
      endpoints.call(
        {
          method: 'KV/Txn',
          repeatable: false,
          run: async ({ kv }, attempt) => {
            const request = {
              compare: compare.map(messageFromComparison),
              success: success.map(messageFromOperation),
              failure: failure.map(messageFromOperation),
            };
            const reply = await kv.txn(request, attempt);
            const { succeeded, responses } = reply;
            return { succeeded, revision: revisionOf(reply), results: responses.map(resultFrom) };
          },
        },
        options,
      ),
    compact: (revision, options) =>
      endpoints.call(
        {
          method: 'KV/Compact',
          repeatable: false,
          run: async ({ kv }, attempt) => void (await kv.compact({ revision }, attempt)),
        },
        options,
      ),
  };
}
