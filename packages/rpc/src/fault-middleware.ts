import { faultFrom, grpcCodeFromKind } from '@nodewright/fault';
import { type CallContext, ServerError, type ServerMiddlewareCall } from 'nice-grpc';
import { statusText } from './status-text.ts';

/** Turns whatever a handler throws into a gRPC status: the only place where that happens in a server. */
export async function* faultMiddleware<Request, Response>(
  call: ServerMiddlewareCall<Request, Response>,
  context: CallContext,
) {
  try {
    return yield* call.next(call.request, context);
  } catch (error) {
    // Statuses of the library itself pass as they are.
    if (error instanceof ServerError) throw error;
    const { kind, message } = faultFrom(error);
    throw new ServerError(grpcCodeFromKind(kind), statusText(message));
  }
}
