import { metadataKeys } from '@nodewright/contract';
import { Fault, type Secret } from '@nodewright/fault';
import type { CallContext, ServerMiddleware, ServerMiddlewareCall } from 'nice-grpc';
import { checkToken } from '../domain/check-token.ts';

/** Refuses every call without the shared token of the cluster, before its request is looked at. */
export function requireToken(token: () => Secret): ServerMiddleware {
  return async function* tokenMiddleware<Request, Response>(
    call: ServerMiddlewareCall<Request, Response>,
    context: CallContext,
  ) {
    const check = checkToken(context.metadata.get(metadataKeys.token), token());
    if (check !== 'valid') throw new Fault('unauthenticated', `${check} token`);
    return yield* call.next(call.request, context);
  };
}
