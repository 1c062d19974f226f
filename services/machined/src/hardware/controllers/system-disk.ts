import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { discoveredVolumes, systemDisks } from '@nodewright/state/kinds';
import { systemDiskOf } from './discovered-volume-spec.ts';

/** The disk that holds META; `used` as of `systemDiskOf()`. Source: Talos v1.14: block.SystemDiskController. */
export function systemDiskController(used: () => string | undefined): Controller {
  return {
    name: 'block.SystemDiskController',
    inputs: [weak(discoveredVolumes)],
    outputs: [exclusive(systemDisks)],
    async reconcile(pass) {
      const volumes = await pass.list(discoveredVolumes);
      const disk = systemDiskOf(
        volumes.map(({ spec }) => spec),
        used(),
      );
      await pass.replace(systemDisks, disk === undefined ? [] : [{ id: systemDisks.singleton, spec: disk }]);
    },
  };
}
