import { faultFrom, grpcCodeFromKind } from '@nodewright/fault';
import { type CallContext, ServerError, type ServerMiddlewareCall } from 'nice-grpc';
import { statusText } from './status-text.ts';

/** Turns every error of a handler into a gRPC status. A server does this in no other place. */
export async function* faultMiddleware<Request, Response>(
  call: ServerMiddlewareCall<Request, Response>,
  context: CallContext,
) {
  try {
    return yield* call.next(call.request, context);
  } catch (error) {
    // Statuses of the library itself pass unchanged.
    if (error instanceof ServerError) throw error;
    const { kind, message } = faultFrom(error);
    throw new ServerError(grpcCodeFromKind(kind), statusText(message));
  }
}
