import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { discoveredVolumes, systemDisks } from '@nodewright/state/kinds';
import { systemDiskOf } from './discovered-volume-spec.ts';

/** The disk that holds META. Source: Talos v1.14: block.SystemDiskController. */
export function systemDiskController(): Controller {
  return {
    name: 'block.SystemDiskController',
    inputs: [weak(discoveredVolumes)],
    outputs: [exclusive(systemDisks)],
    async reconcile(pass) {
      const disk = systemDiskOf((await pass.list(discoveredVolumes)).map(({ spec }) => spec));
      await pass.replace(systemDisks, disk === undefined ? [] : [{ id: systemDisks.singleton, spec: disk }]);
    },
  };
}
