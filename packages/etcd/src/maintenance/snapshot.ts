import { serverAttributes } from '@nodewright/telemetry';
import { Metadata } from 'nice-grpc';
import { CallTime } from '../connection/call-time.ts';
import type { Attempt, EndpointSet } from '../connection/endpoint-set.ts';
import { faultOfEtcd } from '../connection/fault-of-etcd.ts';
import { EtcdFault } from '../etcd-fault.ts';

/** Streams the database of one member. */
export async function* snapshot(endpoints: EndpointSet, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  using time = new CallTime(Number.POSITIVE_INFINITY, [endpoints.closed, signal]);
  const span = endpoints.startSpan('Maintenance/Snapshot');
  let sentBytes = 0;
  try {
    const { endpoint } = await endpoints.connected(time);
    span.setAttributes(serverAttributes(endpoint.address));
    const { traceparent } = span;
    const attempt: Attempt = {
      signal: time.signal,
      metadata: Metadata(traceparent === undefined ? {} : { traceparent }),
    };
    let remainingBytes: bigint | undefined;
    try {
      for await (const piece of endpoint.services.maintenance.snapshot({}, attempt)) {
        remainingBytes = piece.remainingBytes;
        sentBytes += piece.blob.length;
        if (piece.blob.length > 0) yield piece.blob;
      }
    } catch (error) {
      throw time.over ? time.fault(endpoint.address, error) : faultOfEtcd(error, endpoint.address);
    }
    if (remainingBytes !== 0n) {
      const message = `the snapshot of etcd at ${endpoint.address} ended early, after ${sentBytes} bytes`;
      throw new EtcdFault('data-loss', message, { endpoint: endpoint.address });
    }
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.setAttributes({ 'nodewright.etcd.snapshot.size': sentBytes });
    span.end();
  }
}
