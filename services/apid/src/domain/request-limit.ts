import { maxMessageSizeBytes } from '@nodewright/contract';

/** Requests that carry a file, a configuration or a resource. */
const large: ReadonlySet<string> = new Set([
  '/machine.MachineService/ApplyConfiguration',
  '/machine.MachineService/EtcdRecover',
  '/machine.ImageService/Import',
  '/cosi.resource.State/Create',
  '/cosi.resource.State/Update',
]);

/** Longest message of a request to any other method, in bytes: those name a few things. */
export const smallRequestBytes = 1024 * 1024;

/**
 * Longest message that a client may send to a method, in bytes. Most methods need little, and what they are sent beyond
 * it would only fill the buffers of every hop.
 */
export function maxRequestBytes(fullMethod: string): number {
  return large.has(fullMethod) ? maxMessageSizeBytes : smallRequestBytes;
}
