import { nodeExitCodes } from '@nodewright/contract';
import type { World } from '../../base/domain/world.ts';
import type { MachineEnd } from './node-event.ts';

/**
 * With what exit code machined tells whoever runs it how the machine has ended.
 */
export function machineExitCode({ offExitCode }: Pick<World, 'offExitCode'>, end: MachineEnd): number {
  if (end === 'reboot') return nodeExitCodes.reboot;
  return offExitCode;
}
