import { maxApplyConfigurationBytes, maxMessageSizeBytes, roles } from '@nodewright/contract';

export const applyConfiguration = '/machine.MachineService/ApplyConfiguration';

/** Requests that carry a file or a resource. */
const large: ReadonlySet<string> = new Set([
  '/machine.MachineService/EtcdRecover',
  '/machine.ImageService/Import',
  '/cosi.resource.State/Create',
  '/cosi.resource.State/Update',
]);

/** Requests that carry a value of META, or what somebody types into a container. */
const medium: ReadonlySet<string> = new Set([
  '/machine.MachineService/MetaWrite',
  '/machine.DebugService/ContainerRun',
]);

const mediumRequestBytes = 1024 * 1024;
/** All other requests name a few things. */
const smallRequestBytes = 64 * 1024;

/**
 * Longest message that a caller may send to a method, in bytes. Most methods need little, and what they are sent beyond
 * it would only fill the buffers of every hop. Administrators may send more, as with upstream, but not a
 * configuration that is longer than a node reads: machined answers nothing else while 30 MB arrive.
 */
export function maxRequestBytes(fullMethod: string, callerRoles: readonly string[]): number {
  if (fullMethod === applyConfiguration) return maxApplyConfigurationBytes;
  if (callerRoles.includes(roles.admin) || large.has(fullMethod)) return maxMessageSizeBytes;
  return medium.has(fullMethod) ? mediumRequestBytes : smallRequestBytes;
}
