import { nodeExitCodes } from '@nodewright/contract';
import type { World } from '../../base/domain/world.ts';
import type { MachineEnd } from './node-event.ts';

/** The exit code of machined that tells its supervisor or container engine whether the machine rebooted or is off. */
export function machineExitCode({ offExitCode }: Pick<World, 'offExitCode'>, end: MachineEnd): number {
  if (end === 'reboot') return nodeExitCodes.reboot;
  return offExitCode;
}
