import { buildInfo, ports } from '@nodewright/contract';
import { formatGrpcTimeout, type InboundCall } from '@nodewright/h2';
import type { Span } from '@nodewright/telemetry';
import { type Hop, rewriteMetadata } from '../domain/rewrite-metadata.ts';
import type { CallRecord } from './call-record.ts';

const userAgent = `nodewright-apid/${buildInfo.tag}`;

/** Builds the header block for the next hop of a call. Its deadline is the time left at this moment. */
export function hopHeaders(
  call: InboundCall,
  hop: Hop,
  record: CallRecord,
  span: Span | undefined,
  compressedAnswers: boolean,
): string[] {
  const { remainingMs, plan, planned } = record;
  return rewriteMetadata({
    incoming: call.headers,
    hop,
    fullMethod: call.path,
    authority: call.authority,
    roles: plan.caller?.roles ?? [],
    caller: plan.identity,
    address: plan.caller?.source === 'maintenance' ? planned?.peer.remoteAddress : undefined,
    timeout: remainingMs === undefined ? undefined : formatGrpcTimeout(remainingMs),
    traceparent: span?.traceparent,
    userAgent,
    port: ports.apid,
    compressedAnswers,
  });
}
