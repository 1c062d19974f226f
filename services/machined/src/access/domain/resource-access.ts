import { type Role, roles } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';

export type ResourceVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'destroy';

/** What somebody wants to do with a kind of resources. */
export interface ResourceAccess {
  readonly verb: ResourceVerb;
  readonly namespace: string;
  readonly type: string;
}

/** What the node knows of that kind. */
export interface KnownKind {
  readonly isRegistered: boolean;
  readonly isSensitive: boolean;
  readonly hasNamespace: boolean;
}

const readVerbs: readonly ResourceVerb[] = ['get', 'list', 'watch'];

export const isReadVerb = (verb: ResourceVerb): boolean => readVerbs.includes(verb);

/**
 * Why the API refuses it, or undefined when it does not. Nobody writes through the API: what is in the state follows
 * from the machine configuration and from the machine itself. Source: Talos v1.14: resource access policy.
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
