import { type Controller, exclusive, weak } from '@nodewright/controllers';
import type { BlockDevice, BlockDisk } from '@nodewright/linux';
import { pointerTo } from '@nodewright/state';
import {
  blockDevices,
  discoveredVolumes,
  discoveryRefreshRequests,
  discoveryRefreshStatuses,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { discoveredVolumeSpec } from './discovered-volume-spec.ts';

export interface DiscoveryInit {
  readonly readBlockDevices: () => readonly BlockDevice[];
  readonly readDisks: () => readonly BlockDisk[];
  /** The udev properties of a device; empty when udev does not know it. */
  readonly readUdevRecord: (device: BlockDevice) => ReadonlyMap<string, string>;
  /** Reads the same properties from the devices themselves, on a machine, which owns them. */
  readonly readContents?: ((devices: readonly BlockDevice[]) => Promise<ContentsRecords>) | undefined;
}

/** Properties by the name of the device. */
type ContentsRecords = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Sector sizes for disks that report none. */
const usualSizes = { sectorBytes: 512, ioBytes: 512 };

/**
 * The contents of block devices as far as the kernel and udev know them. Only a machine reads the devices themselves: that
 * requires root, and its volumes need not wait for udevd. Source: Talos v1.14: block.DiscoveryController.
 */
export function discoveryController(init: DiscoveryInit): Controller {
  const { readBlockDevices, readDisks, readUdevRecord, readContents } = init;
  // The kernel announces a new partition before its file system is written.
  const whenReady = readContents === undefined ? [] : [weak(volumeStatuses)];
  return {
    name: 'block.DiscoveryController',
    inputs: [weak(blockDevices), weak(discoveryRefreshRequests), ...whenReady],
    outputs: [exclusive(discoveredVolumes), exclusive(discoveryRefreshStatuses)],
    async reconcile(pass) {
      const request = await pass.get(pointerTo(discoveryRefreshRequests));
      const sizes = new Map(readDisks().map((disk) => [disk.name, disk]));
      const devices = readBlockDevices().filter(({ sizeBytes }) => sizeBytes > 0);
      const contents = await readContents?.(devices);
      const recordOf = (device: BlockDevice) => contents?.get(device.name) ?? readUdevRecord(device);
      await pass.replace(
        discoveredVolumes,
        devices.map((device) => ({
          id: device.name,
          spec: discoveredVolumeSpec(
            device,
            recordOf(device),
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
