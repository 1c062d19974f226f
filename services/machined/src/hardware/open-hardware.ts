import type { Telemetry } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import { blockControllers } from './controllers/block-controllers.ts';
import { devicesStatusController } from './controllers/devices-status.ts';
import { hardwareControllers } from './controllers/hardware-controllers.ts';
import { mountStatusController } from './controllers/mount-status.ts';
import { volumeControllers } from './controllers/volume-controllers.ts';
import { openKernelDeviceEvents } from './host/device-events.ts';
import { makeVolumeFolder } from './host/volume-folder.ts';
import { createDisks } from './rpc/disks.ts';

export interface OpenHardwareInit {
  readonly world: World;
  /** The node's root, without a trailing slash; the folders of its volumes are below it. */
  readonly root: string;
  /** Whether udevd names the devices; without it they have the kernel's names. */
  readonly hasUdevd: boolean;
  readonly telemetry: Telemetry;
}

/**
 * Processors, PCI devices, disks and volumes of the node: the controllers that publish them, and the calls
 * about disks.
 */
export function openHardware({ world, root, hasUdevd, telemetry }: OpenHardwareInit): Topic {
  let deviceEvents: ReturnType<typeof openKernelDeviceEvents> | undefined;
  // One socket for all controllers, opened by the first one that starts.
  const events = () => {
    deviceEvents ??= openKernelDeviceEvents();
    return deviceEvents;
  };
  return {
    controllers: [
      devicesStatusController(hasUdevd),
      mountStatusController(),
      ...hardwareControllers({ world, hasUdevd, read: readIfThere, events }),
      ...blockControllers({ world, hasUdevd, events }),
      ...volumeControllers({
        makeVolumeFolder: (path, folderMode) => makeVolumeFolder(root, path, folderMode),
      }),
    ],
    api: { 'storage.StorageService': createDisks(telemetry) },
  };
}
