import { type GrpcStatus, type InboundCall, statusTrailers } from '@nodewright/h2';
import type { CallRecord } from './call-record.ts';

/** Ends a call without response headers with a status. */
export function refuseCall(call: InboundCall, status: GrpcStatus, httpStatus: number): void {
  call.respond(
    [':status', String(httpStatus), 'content-type', 'application/grpc', ...statusTrailers(status)],
    true,
  );
}

/** Ends a call that a bug of apid made fail: it must not affect other calls. */
export function failInside(call: InboundCall, record: CallRecord, error: unknown): void {
  const status = record.failInside(error);
  refuseCall(call, status, 200);
  // Has an effect only when response headers were already sent.
  call.finish(statusTrailers(status));
  record.finish(status);
}
