import { type Controller, exclusive, weak } from '@nodewright/controllers';
import type { BlockDisk } from '@nodewright/linux';
import { blockDevices, blockSymlinks, disks } from '@nodewright/state/kinds';
import { diskSpec } from './disk-spec.ts';

/** The disks among the block devices. Source: Talos v1.14: block.DisksController. */
export function disksController(readDisks: () => readonly BlockDisk[]): Controller {
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
      const known = readDisks().filter(({ name }) => devices.has(name));
      await pass.replace(
        disks,
        known.map((disk) => ({ id: disk.name, spec: diskSpec(disk, links.get(disk.name) ?? [], devices) })),
      );
    },
  };
}
