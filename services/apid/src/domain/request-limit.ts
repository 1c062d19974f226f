import { maxApplyConfigurationBytes, maxMessageSizeBytes, methodRule, roles } from '@nodewright/contract';

const mediumRequestBytes = 1024 * 1024;
const smallRequestBytes = 64 * 1024;

/**
 * Longest message that a caller may send to a method, in bytes. Most methods need little, and what they are sent beyond
 * it would only fill the buffers of every hop. Administrators may send more, as with upstream, but not a
 * configuration that is longer than a node reads: machined answers nothing else while 30 MB arrive.
 */
export function maxRequestBytes(fullMethod: string, callerRoles: readonly string[]): number {
  const size = methodRule(fullMethod)?.request;
  if (size === 'configuration') return maxApplyConfigurationBytes;
  if (size === 'large' || callerRoles.includes(roles.admin)) return maxMessageSizeBytes;
  return size === 'medium' ? mediumRequestBytes : smallRequestBytes;
}
