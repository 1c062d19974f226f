import { nodeExitCodes } from '@nodewright/contract';
import type { NodeMode } from '../../base/domain/node-facts.ts';
import type { MachineEnd } from './node-event.ts';

/**
 * With what exit code machined tells whoever runs it how the machine has ended. An engine starts a container again that
 * failed, and leaves one alone that has ended well.
 */
export function machineExitCode(mode: NodeMode, end: MachineEnd): number {
  if (end === 'reboot') return nodeExitCodes.reboot;
  return mode === 'process' ? nodeExitCodes.powerOff : 0;
}
