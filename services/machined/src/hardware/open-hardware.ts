import type { Telemetry } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import { blockControllers } from './controllers/block-controllers.ts';
import { devicesStatusController } from './controllers/devices-status.ts';
import { hardwareControllers } from './controllers/hardware-controllers.ts';
import { openKernelDeviceEvents } from './host/device-events.ts';
import { createDisks } from './rpc/disks.ts';

export interface OpenHardwareInit {
  readonly world: World;
  /** Whether udevd names the devices; without it they have the kernel's names. */
  readonly hasUdevd: boolean;
  /** Whether the node reads its devices to know their contents: udevd records them too, but later. */
  readonly readsContents: boolean;
  /** Path of the disk that holds META; undefined when no disk of this node does. */
  readonly systemDisk: () => string | undefined;
  readonly telemetry: Telemetry;
}

/**
 * Processors, PCI devices and disks of the node: the controllers that publish them, and the calls
 * about disks.
 */
export function openHardware(init: OpenHardwareInit): Topic {
  const { world, hasUdevd, readsContents, systemDisk, telemetry } = init;
  let deviceEvents: ReturnType<typeof openKernelDeviceEvents> | undefined;
  // One socket for all controllers, opened by the first one that starts.
  const events = () => {
    deviceEvents ??= openKernelDeviceEvents();
    return deviceEvents;
  };
  return {
    controllers: [
      devicesStatusController(hasUdevd),
      ...hardwareControllers({ world, hasUdevd, read: readIfThere, events }),
      ...blockControllers({ world, hasUdevd, readsContents, events }),
    ],
    api: { 'storage.StorageService': createDisks(telemetry, systemDisk) },
  };
}
