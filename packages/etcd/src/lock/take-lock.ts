import { anySignal, pause } from '@nodewright/async';
import {
  RangeRequest_SortOrder,
  RangeRequest_SortTarget,
} from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import type { EndpointSet } from '../connection/endpoint-set.ts';
import type { EtcdClient } from '../etcd-client.ts';
import { EtcdFault, etcdReasonOf } from '../etcd-fault.ts';
import { prefixRange } from '../keys/key-range.ts';
import { keepLease } from '../lease/keep-lease.ts';
import { watchRange } from '../watch/watch-range.ts';
import type { EtcdLock, LockOptions } from './etcd-lock.ts';

const defaultTtlSeconds = 60;
const retryMs = 250;

/**
 * Takes a lock with the protocol of etcd's concurrency package. Each client writes a key of its own under a
 * common prefix, and the client with the oldest key holds the lock.
 */
export async function takeLock(
  endpoints: EndpointSet,
  keys: Pick<EtcdClient, 'txn' | 'get'>,
  name: string,
  { ttlSeconds = defaultTtlSeconds, value = '', signal }: LockOptions = {},
): Promise<EtcdLock> {
  const lease = await keepLease(endpoints, ttlSeconds, signal === undefined ? {} : { signal });
  try {
    const key = `${name}/${lease.id.toString(16)}`;
    const waiting = anySignal(lease.signal, signal);
    const { results, succeeded, revision } = await keys.txn(
      {
        compare: [{ key, createRevision: 0n }],
        success: [{ kind: 'put', key, value, lease: lease.id }],
        failure: [{ kind: 'get', key }],
      },
      { signal: waiting },
    );
    const since = succeeded ? revision : (results[0]?.keyValues[0]?.createRevision ?? revision);
    await waitForTurn(endpoints, `${name}/`, since, waiting);
    // The key of this client may have been deleted during the wait: then it does not hold the lock.
    if ((await keys.get(key, { signal: waiting })) === undefined)
      throw new EtcdFault('aborted', 'the lease of the lock was lost before the lock was acquired', {
        reason: 'lease-lost',
      });
    return {
      key,
      lease,
      signal: lease.signal,
      [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
    };
  } catch (error) {
    await lease[Symbol.asyncDispose]();
    throw error;
  }
}

/** Waits until this client has the oldest key. It retries after failures as long as the lease exists. */
async function waitForTurn(
  endpoints: EndpointSet,
  prefix: string,
  since: bigint,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const before = await lastBefore(endpoints, prefix, since, signal);
      if (before === undefined) return;
      const range = { key: before.key, rangeEnd: Buffer.alloc(0), from: before.revision + 1n };
      for await (const { changes } of watchRange(endpoints, range, signal))
        if (changes.some(({ kind }) => kind === 'delete')) break;
    } catch (error) {
      if (etcdReasonOf(error) === 'permission-denied') throw error;
      await pause(retryMs, signal);
    }
  }
  throw new EtcdFault('cancelled', 'the wait for a lock was cancelled');
}

/** The newest key before that of this client, with the revision of the response. */
function lastBefore(
  endpoints: EndpointSet,
  prefix: string,
  since: bigint,
  signal: AbortSignal,
): Promise<{ readonly key: Buffer; readonly revision: bigint } | undefined> {
  return endpoints.call(
    {
      method: 'KV/Range',
      repeatable: true,
      run: async ({ kv }, attempt) => {
        const { kvs, header } = await kv.range(
          {
            ...prefixRange(prefix),
            maxCreateRevision: since - 1n,
            sortTarget: RangeRequest_SortTarget.CREATE,
            sortOrder: RangeRequest_SortOrder.DESCEND,
            limit: 1n,
            keysOnly: true,
          },
          attempt,
        );
        return kvs[0] && { key: kvs[0].key, revision: header?.revision ?? 0n };
      },
    },
    { signal },
  );
}
