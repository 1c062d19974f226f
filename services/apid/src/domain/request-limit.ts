import { methodRule, roles } from '@nodewright/contract';
import { requestLimits } from './limits.ts';

/**
 * Maximum size of a request message for a method, in bytes. Most methods need only small requests, and larger
 * ones would fill the buffers of every hop. As in upstream, administrators may send more. The size of a
 * configuration is limited for them too, because machined serves no other call while it receives 30 MB.
 */
export function maxRequestBytes(fullMethod: string, callerRoles: readonly string[]): number {
  const size = methodRule(fullMethod)?.request;
  if (size === 'configuration') return requestLimits.configurationBytes;
  if (size === 'large' || callerRoles.includes(roles.admin)) return requestLimits.largeBytes;
  return size === 'medium' ? requestLimits.mediumBytes : requestLimits.smallBytes;
}
