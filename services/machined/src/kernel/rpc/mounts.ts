import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { type FileSystemSizes, parseMounts } from '@nodewright/linux';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';
import type { KernelFiles } from '../../base/host/kernel-files.ts';

/** Mounts: the kernel's table, with sizes in bytes for mounts on folders. Source: Talos v1.14: Mounts. */
export function createMounts(
  kernel: KernelFiles,
  sizes: FileSystemSizes,
  telemetry: Telemetry,
): Pick<MachineServiceImplementation, 'mounts'> {
  return {
    async mounts() {
      const mounts = parseMounts(kernel.read('/proc/mounts'));
      const stats = await inSpan(telemetry, 'read file system sizes', () =>
        Promise.all(
          mounts.map(async (mount) => {
            const { sizeBytes, availableBytes } = await sizes.sizeOf(mount);
            return {
              filesystem: mount.source,
              size: sizeBytes,
              available: availableBytes,
              mountedOn: mount.mountPoint,
            };
          }),
        ),
      );
      return { messages: [{ stats }] };
    },
  };
}
