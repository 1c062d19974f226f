import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { blockDevices, blockSymlinks, disks } from '@nodewright/state/kinds';
import type { DeviceSource } from '../host/device-source.ts';
import { diskSpec } from './disk-spec.ts';

/** The disks among the block devices. Source: Talos v1.14: block.DisksController. */
export function disksController(source: DeviceSource): Controller {
  return {
    name: 'block.DisksController',
    inputs: [weak(blockDevices), weak(blockSymlinks)],
    outputs: [exclusive(disks)],
    async reconcile(pass) {
      const devices = new Map(
        (await pass.list(blockDevices)).map(({ metadata, spec }) => [metadata.id, spec]),
      );
      const links = new Map(
        (await pass.list(blockSymlinks)).map(({ metadata, spec }) => [metadata.id, spec.paths]),
      );
      const known = (source.block()?.disks ?? []).filter(({ name }) => devices.has(name));
      await pass.replace(
        disks,
        known.map((disk) => ({ id: disk.name, spec: diskSpec(disk, links.get(disk.name) ?? [], devices) })),
      );
    },
  };
}
