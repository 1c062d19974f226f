import type { World } from '../../base/domain/world.ts';

/**
 * Files of the kernel whose content belongs to the node where it shares its kernel with others: whoever waits for a
 * reboot reads the boot id before and after. By path, with their newline.
 */
export function ownKernelFiles(
  { ownsKernel }: Pick<World, 'ownsKernel'>,
  hostname: string,
  bootId: string,
): ReadonlyMap<string, string> {
  if (ownsKernel) return new Map();
  return new Map([
    ['/proc/sys/kernel/hostname', `${hostname}\n`],
    ['/proc/sys/kernel/random/boot_id', `${bootId}\n`],
  ]);
}
