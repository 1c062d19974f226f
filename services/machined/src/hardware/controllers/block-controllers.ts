import type { Controller } from '@nodewright/controllers';
import { readBlockDevices, readDeviceLinks, readDisks, readUdevRecord } from '@nodewright/linux';
import type { World } from '../../base/domain/world.ts';
import { readContents } from '../host/read-contents.ts';
import { watchDeviceLinks } from '../host/watch-device-links.ts';
import type { OpenDeviceEvents } from './device-changes.ts';
import { devicesController } from './devices.ts';
import { discoveredVolumesStatusController } from './discovered-volumes-status.ts';
import { discoveryController } from './discovery.ts';
import { disksController } from './disks.ts';
import { symlinksController } from './symlinks.ts';
import { systemDiskController } from './system-disk.ts';

export interface BlockControllersInit {
  readonly world: Pick<World, 'showsMachine'>;
  /** Whether udevd is one of the node's services. */
  readonly hasUdevd: boolean;
  /** Whether the node reads its devices to know their contents: udevd records them too, but later. */
  readonly readsContents: boolean;
  /** Opens the device events of the kernel; called by several controllers. */
  readonly events: OpenDeviceEvents;
  /** Where sysfs is mounted; default `/sys`. */
  readonly sysRoot?: string;
}

/**
 * Disks and their contents, as far as the kernel and udev know them, or the node itself. Source: Talos v1.14: COSI
 * resources, block; what container mode skips.
 */
export function blockControllers(init: BlockControllersInit): Controller[] {
  const { world, hasUdevd, readsContents, events, sysRoot } = init;
  if (!world.showsMachine) return [];
  return [
    devicesController(() => readBlockDevices(sysRoot), events),
    symlinksController({ readDeviceLinks: () => readDeviceLinks(), watchDeviceLinks, hasUdevd }),
    disksController(() => readDisks(sysRoot)),
    discoveryController({
      readBlockDevices: () => readBlockDevices(sysRoot),
      readDisks: () => readDisks(sysRoot),
      readUdevRecord: (device) => readUdevRecord(device),
      readContents: readsContents ? (devices) => readContents(devices) : undefined,
    }),
    discoveredVolumesStatusController(),
    systemDiskController(),
  ];
}
