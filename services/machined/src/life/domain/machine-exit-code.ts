import { nodeExitCodes } from '@nodewright/contract';
import type { World } from '../../base/domain/world.ts';
import type { MachineEnd } from './node-event.ts';

/**
 * The exit code by which machined reports to its supervisor or container engine whether the machine reboots, starts
 * the kernel that it has loaded, or is off.
 */
export function machineExitCode(
  { offExitCode, rebootExitCode }: Pick<World, 'offExitCode' | 'rebootExitCode'>,
  end: MachineEnd,
): number {
  if (end === 'power-off') return offExitCode;
  return end === 'reboot' ? rebootExitCode : nodeExitCodes[end];
}
