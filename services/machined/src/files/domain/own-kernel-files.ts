import type { World } from '../../base/domain/world.ts';

/**
 * Returns the kernel files whose content must differ for each node when nodes share a kernel: the content by
 * path, with a final newline. For example, clients compare boot ids to find out whether a node has rebooted.
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
