import { metadataKeys, methodRule } from '@nodewright/contract';
import { annotateRequest } from '@nodewright/rpc';
import type { ServerMiddleware } from 'nice-grpc';
import { rolesFromMetadata } from '../domain/caller-roles.ts';
import { type CallSurroundings, checkCall } from '../domain/check-call.ts';

/** Admits only calls that the method table permits for the caller's roles, before anything else is read. */
export function createAuthorizeMiddleware(surroundings: () => CallSurroundings): ServerMiddleware {
  return (call, context) => {
    const caller = rolesFromMetadata(context.metadata.getAll(metadataKeys.role));
    annotateRequest(context, { roles: [...caller].sort() });
    const fault = checkCall(methodRule(call.method.path), caller, surroundings());
    if (fault !== undefined) throw fault;
    return call.next(call.request, context);
  };
}
