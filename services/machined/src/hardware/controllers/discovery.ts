import { type Controller, exclusive, weak } from '@nodewright/controllers';
import type { BlockDevice, BlockDisk } from '@nodewright/linux';
import { pointerTo } from '@nodewright/state';
import {
  blockDevices,
  discoveredVolumes,
  discoveryRefreshRequests,
  discoveryRefreshStatuses,
} from '@nodewright/state/kinds';
import { discoveredVolumeSpec } from './discovered-volume-spec.ts';

export interface DiscoveryInit {
  readonly readBlockDevices: () => readonly BlockDevice[];
  readonly readDisks: () => readonly BlockDisk[];
  /** What udev knows of a device; empty: nothing. */
  readonly readUdevRecord: (device: BlockDevice) => ReadonlyMap<string, string>;
}

/** Of disks that say nothing of themselves. */
const usualSizes = { sectorBytes: 512, ioBytes: 512 };

/**
 * What is on block devices, by what the kernel and udev say: the devices themselves are not read, which would take root.
 * Source: Talos v1.14: block.DiscoveryController.
 */
export function discoveryController(init: DiscoveryInit): Controller {
  const { readBlockDevices, readDisks, readUdevRecord } = init;
  return {
    name: 'block.DiscoveryController',
    inputs: [weak(blockDevices), weak(discoveryRefreshRequests)],
    outputs: [exclusive(discoveredVolumes), exclusive(discoveryRefreshStatuses)],
    async reconcile(pass) {
      const request = await pass.get(pointerTo(discoveryRefreshRequests));
      const sizes = new Map(readDisks().map((disk) => [disk.name, disk]));
      const devices = readBlockDevices().filter(({ sizeBytes }) => sizeBytes > 0);
      await pass.replace(
        discoveredVolumes,
        devices.map((device) => ({
          id: device.name,
          spec: discoveredVolumeSpec(
            device,
            readUdevRecord(device),
            sizes.get(device.parent || device.name) ?? usualSizes,
          ),
        })),
      );
      if (request === undefined) return;
      const { spec } = request;
      await pass.put({ ...pointerTo(discoveryRefreshStatuses), spec: { request: spec.request } });
    },
  };
}
