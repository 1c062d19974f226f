import { type Role, roles } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';

export type ResourceVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'destroy';

/** The operations on a kind of resources. */
export interface ResourceAccess {
  readonly verb: ResourceVerb;
  readonly namespace: string;
  readonly type: string;
}

/** The definition of the kind on this node. */
export interface KnownKind {
  readonly isRegistered: boolean;
  readonly isSensitive: boolean;
  readonly hasNamespace: boolean;
}

const readVerbs: readonly ResourceVerb[] = ['get', 'list', 'watch'];

export const isReadVerb = (verb: ResourceVerb): boolean => readVerbs.includes(verb);

/**
 * Why the API refuses the operation, or undefined when it does not. The API permits no writes: controllers
 * derive all resources from the machine configuration and from the machine itself. Source: Talos v1.14:
 * resource access policy.
 */
export function checkResourceAccess(
  { verb, namespace, type }: ResourceAccess,
  { isRegistered, isSensitive, hasNamespace }: KnownKind,
  caller: ReadonlySet<Role>,
): Fault | undefined {
  const refuse = (message: string) => new Fault('permission-denied', message);
  if (!isReadVerb(verb)) return refuse('write access is not allowed');
  if (!isRegistered) return refuse(`resource type "${type}" is not supported`);
  if (isSensitive && !caller.has(roles.admin)) return refuse('not authorized');
  return hasNamespace ? undefined : refuse(`namespace "${namespace}" is not supported`);
}
