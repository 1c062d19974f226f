import type { Fault } from '@nodewright/fault';
import type { BlockDevice, BoundedCalls, LinkHardware } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import { blockControllers } from './controllers/block-controllers.ts';
import { devicesStatusController } from './controllers/devices-status.ts';
import { hardwareControllers } from './controllers/hardware-controllers.ts';
import { openDeviceBridge } from './host/device-bridge.ts';
import { readContents } from './host/read-contents.ts';
import { createDisks } from './rpc/disks.ts';

export interface OpenHardwareInit {
  readonly world: World;
  /** Whether udevd names the devices; without it they have the kernel's names. */
  readonly hasUdevd: boolean;
  /** Whether the node reads its devices to know their contents: udevd records them too, but later. */
  readonly readsContents: boolean;
  /** Path of the disk that holds META; undefined when no disk of this node does. */
  readonly systemDisk: () => string | undefined;
  /** The socket of udevd-bridge. */
  readonly devicesSocket: string;
  /** Makes the calls to disks, which may hang. */
  readonly bounded: BoundedCalls;
  readonly log: Logger;
}

export interface HardwareTopic extends Topic {
  /** The hardware of a network link; undefined if it has none, or is not known yet. */
  readonly linkHardware: {
    of(name: string): LinkHardware | undefined;
    watch(onChange: () => void): Disposable;
  };
}

/**
 * Processors, PCI devices and disks of the node: the controllers that publish them, and the calls
 * about disks. udevd-bridge is followed until `scope` ends.
 */
export function openHardware(init: OpenHardwareInit, scope: AsyncDisposableStack): HardwareTopic {
  const { world, hasUdevd, readsContents, systemDisk, devicesSocket, bounded, log } = init;
  const source = scope.use(openDeviceBridge({ socket: devicesSocket, log }));
  const onHang = ({ message }: Fault) =>
    log.warn({ error: message }, 'a disk hangs: its contents are not known');
  const readOwn = (devices: readonly BlockDevice[]) => readContents(devices, { bounded, onHang });
  return {
    controllers: [
      devicesStatusController(hasUdevd),
      ...hardwareControllers({ world, hasUdevd, read: readIfThere, source }),
      ...blockControllers({
        ...{ world, hasUdevd, systemDisk, source },
        readContents: readsContents ? readOwn : undefined,
      }),
    ],
    api: { 'storage.StorageService': createDisks(source, systemDisk) },
    linkHardware: {
      of: (name) => source.linkHardware()?.get(name),
      watch: (onChange) => source.listen('net', onChange),
    },
  };
}
