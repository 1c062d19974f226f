import type { InboundCall } from './call.ts';
import { type GrpcStatus, statusTrailers } from './grpc-status.ts';

const trailersOnlyHead = [':status', '200', 'content-type', 'application/grpc'] as const;

/**
 * Ends a call with a gRPC status: in trailers when `answered` (response headers were sent), otherwise in a
 * trailers-only response.
 */
export function sendStatus(call: InboundCall, status: GrpcStatus, answered: boolean): void {
  const trailers = statusTrailers(status);
  if (answered) call.finish(trailers);
  else call.respond([...trailersOnlyHead, ...trailers], true);
}
