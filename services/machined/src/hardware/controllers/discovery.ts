import { type Controller, exclusive, weak } from '@nodewright/controllers';
import type { BlockDevice } from '@nodewright/linux';
import { pointerTo } from '@nodewright/state';
import {
  blockDevices,
  discoveredVolumes,
  discoveryRefreshRequests,
  discoveryRefreshStatuses,
  volumeStatuses,
} from '@nodewright/state/kinds';
import type { DeviceEvent, DeviceSource } from '../host/device-source.ts';
import { discoveredVolumeSpec } from './discovered-volume-spec.ts';

export interface DiscoveryInit {
  readonly source: DeviceSource;
  /** Reads the same properties from the devices themselves, on a machine, which owns them. */
  readonly readContents?: ((devices: readonly BlockDevice[]) => Promise<ContentsRecords>) | undefined;
}

/** Properties by the name of the device. */
type ContentsRecords = ReadonlyMap<string, ReadonlyMap<string, string>>;

const noRecord: ReadonlyMap<string, string> = new Map();

/** Sector sizes for disks that report none. */
const usualSizes = { sectorBytes: 512, ioBytes: 512 };

/**
 * The contents of block devices as far as the kernel and udev know them. Only a machine reads the devices themselves: that
 * requires root, and its volumes need not wait for udevd. Source: Talos v1.14: block.DiscoveryController.
 */
export function discoveryController(init: DiscoveryInit): Controller {
  const { source, readContents } = init;
  // The kernel announces a new partition before its file system is written.
  const whenReady = readContents === undefined ? [] : [weak(volumeStatuses)];
  return {
    name: 'block.DiscoveryController',
    inputs: [weak(blockDevices), weak(discoveryRefreshRequests), ...whenReady],
    outputs: [exclusive(discoveredVolumes), exclusive(discoveryRefreshStatuses)],
    open(events, scope) {
      // udevd records the contents before it announces a device. A machine reads them itself, when the kernel does.
      if (readContents !== undefined) return;
      const onEvent = (event: DeviceEvent | undefined) => event?.isProcessed === false || events.wake();
      scope.use(source.listen('block', onEvent));
    },
    async reconcile(pass) {
      const inventory = source.block();
      if (inventory === undefined) return;
      const request = await pass.get(pointerTo(discoveryRefreshRequests));
      const sizes = new Map(inventory.disks.map((disk) => [disk.name, disk]));
      const devices = inventory.devices.filter(({ sizeBytes }) => sizeBytes > 0);
      const contents = await readContents?.(devices);
      const recordOf = (device: BlockDevice) =>
        contents?.get(device.name) ?? inventory.records.get(device.name) ?? noRecord;
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
