import { aborted } from '@nodewright/async';
import type { DeepPartial, WatchRequest, WatchResponse } from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import { type Event, Event_EventType } from '@nodewright/contract/gen/mvccpb/kv.ts';
import { serverAttributes } from '@nodewright/telemetry';
import { Metadata } from 'nice-grpc';
import { CallTime } from '../connection/call-time.ts';
import type { EndpointSet } from '../connection/endpoint-set.ts';
import { faultOfEtcd } from '../connection/fault-of-etcd.ts';
import { EtcdFault } from '../etcd-fault.ts';
import { keyValueFrom } from '../keys/key-messages.ts';
import type { KeyChange } from './prefix-watch.ts';

export interface WatchedRange {
  readonly key: Buffer;
  /** Empty for a single key. */
  readonly rangeEnd: Buffer;
  /** The first revision to receive. */
  readonly from: bigint;
}

/** One complete response with the changes up to `revision`. Without changes it only reports progress. */
export interface RangeUpdate {
  readonly changes: readonly KeyChange[];
  readonly revision: bigint;
}

/**
 * With this header a member without a leader ends the stream, instead of sending nothing. Source: etcd,
 * client metadata.
 */
const requireLeader = { hasleader: 'true' } as const;

/**
 * One stream of changes from one endpoint, until it breaks with an EtcdFault. The reason is `compacted` when
 * etcd no longer has the first revision. It ends without an error when the signal aborts.
 */
export async function* watchRange(
  endpoints: EndpointSet,
  { key, rangeEnd, from }: WatchedRange,
  signal: AbortSignal,
): AsyncGenerator<RangeUpdate> {
  using time = new CallTime(Number.POSITIVE_INFINITY, [endpoints.closed, signal]);
  // Also ends the stream when the consumer stops reading.
  const done = new AbortController();
  const stop = AbortSignal.any([time.signal, done.signal]);
  const span = endpoints.startSpan('Watch/Watch');
  let address = '';
  let markBad = () => {};
  try {
    const connected = await endpoints.connected(time);
    address = connected.endpoint.address;
    markBad = connected.markBad;
    span.setAttributes(serverAttributes(address));
    const { traceparent } = span;
    const metadata = Metadata({ ...requireLeader, ...(traceparent === undefined ? {} : { traceparent }) });
    const create = { key, rangeEnd, startRevision: from, progressNotify: true, fragment: true };
    const requests = requestsUntil({ requestUnion: { $case: 'createRequest', value: create } }, stop);
    const replies = connected.endpoint.services.watch.watch(requests, { signal: stop, metadata });
    // The span covers the start of the watch only, because the watch may last for years.
    yield* updatesFrom(replies, address, () => span.end());
    throw new EtcdFault('unavailable', `etcd at ${address} ended the watch`, { endpoint: address });
  } catch (error) {
    if (time.over) return;
    markBad();
    const fault = faultOfEtcd(error, address);
    span.fail(fault);
    throw fault;
  } finally {
    done.abort();
    span.end();
  }
}

async function* updatesFrom(
  replies: AsyncIterable<WatchResponse>,
  address: string,
  onCreated: () => void,
): AsyncGenerator<RangeUpdate> {
  let changes: KeyChange[] = [];
  for await (const reply of replies) {
    if (reply.canceled) throw endOfWatch(reply, address);
    if (reply.created) {
      onCreated();
      continue;
    }
    changes.push(...reply.events.map(changeFrom));
    // The next response has the rest of this revision: a transaction must not be delivered in parts.
    if (reply.fragment) continue;
    yield { changes, revision: revisionOf(changes, reply) };
    changes = [];
  }
}

/**
 * The revision up to which a watch has received everything. The header has that of the store: while the watch catches
 * up, the store is ahead of the changes in the response.
 */
function revisionOf(changes: readonly KeyChange[], { header }: WatchResponse): bigint {
  const last = changes.at(-1);
  if (last === undefined) return header?.revision ?? 0n;
  return last.kind === 'put' ? last.keyValue.modRevision : last.modRevision;
}

function endOfWatch({ compactRevision, cancelReason }: WatchResponse, address: string): EtcdFault {
  if (compactRevision > 0n) {
    const message = `etcd at ${address} has compacted the history before revision ${compactRevision}`;
    return new EtcdFault('out-of-range', message, { endpoint: address, reason: 'compacted' });
  }
  const why = cancelReason === '' ? 'it was cancelled' : cancelReason.replace(/^etcdserver: /, '');
  return new EtcdFault('unavailable', `etcd at ${address} ended the watch: ${why}`, { endpoint: address });
}

function changeFrom({ type, kv }: Event): KeyChange {
  if (kv === undefined) throw new EtcdFault('data-loss', 'etcd sent a change without a key');
  if (type === Event_EventType.DELETE)
    return { kind: 'delete', key: kv.key.toString(), modRevision: kv.modRevision };
  return { kind: 'put', keyValue: keyValueFrom(kv) };
}

/** The request stream stays open for as long as the watch. */
async function* requestsUntil(
  first: DeepPartial<WatchRequest>,
  signal: AbortSignal,
): AsyncGenerator<DeepPartial<WatchRequest>> {
  yield first;
  await aborted(signal);
}
