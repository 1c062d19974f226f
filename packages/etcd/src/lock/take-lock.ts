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
 * Takes the lock in the way of etcd's concurrency package: every client that wants it writes a key of its own below a
 * common prefix, and the client whose key is the oldest holds the lock.
 */
export async function takeLock(
  endpoints: EndpointSet,
  keys: Pick<EtcdClient, 'txn' | 'get'>,
  name: string,
  { ttlSeconds = defaultTtlSeconds, signal }: LockOptions = {},
): Promise<EtcdLock> {
  const lease = await keepLease(endpoints, ttlSeconds, signal === undefined ? {} : { signal });
  try {
    const key = `${name}/${lease.id.toString(16)}`;
    const waiting = anySignal(lease.signal, signal);
    const { results, succeeded, revision } = await keys.txn(
      {
        compare: [{ key, createRevision: 0n }],
        success: [{ kind: 'put', key, value: '', lease: lease.id }],
        failure: [{ kind: 'get', key }],
      },
      { signal: waiting },
    );
    const since = succeeded ? revision : (results[0]?.keyValues[0]?.createRevision ?? revision);
    await waitForTurn(endpoints, `${name}/`, since, waiting);
    // Our own key may have been deleted during the wait: then we do not hold the lock.
    if ((await keys.get(key, { signal: waiting })) === undefined)
      throw new EtcdFault('aborted', 'the lease of a lock was lost while it was waited for', {
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

/** Retries at other members for as long as the lease lives. */
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
  throw new EtcdFault('cancelled', 'a lock was not waited for any longer');
}

/** The newest key that is older than ours, and the revision of the answer. */
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
