import type { World } from '../../base/domain/world.ts';

/**
 * Contents of kernel files that a node has for itself if it shares the kernel with other nodes, by path and
 * with a final newline. For example, clients compare the boot id to find out whether a node has rebooted.
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
