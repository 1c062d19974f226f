import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { blockMountStatuses, mountStatuses, volumeStatuses } from '@nodewright/state/kinds';
import { runtimeMounts } from '../domain/runtime-mounts.ts';

/** The mounted volumes. */
export function mountStatusController(): Controller {
  return {
    name: 'runtime.MountStatusController',
    inputs: [weak(blockMountStatuses), weak(volumeStatuses)],
    outputs: [exclusive(mountStatuses)],
    async reconcile(pass) {
      const mounts = (await pass.list(blockMountStatuses)).map(({ spec }) => spec);
      const volumes = (await pass.list(volumeStatuses)).map(
        ({ metadata, spec }) => [metadata.id, spec] as const,
      );
      await pass.replace(mountStatuses, runtimeMounts({ mounts, volumes: new Map(volumes) }));
    },
  };
}
