import type { Controller } from '@nodewright/controllers';
import type { World } from '../../base/domain/world.ts';
import type { DeviceSource } from '../host/device-source.ts';
import { devicesController } from './devices.ts';
import { discoveredVolumesStatusController } from './discovered-volumes-status.ts';
import { type DiscoveryInit, discoveryController } from './discovery.ts';
import { disksController } from './disks.ts';
import { symlinksController } from './symlinks.ts';
import { systemDiskController } from './system-disk.ts';

export interface BlockControllersInit {
  readonly world: Pick<World, 'showsMachine'>;
  /** Whether udevd is one of the node's services. */
  readonly hasUdevd: boolean;
  /** Reads the contents of devices, where the node owns them: udevd records them too, but later. */
  readonly readContents?: DiscoveryInit['readContents'];
  /** Path of the disk that holds META of this node; empty when none does, undefined when that is not known. */
  readonly systemDisk: () => string | undefined;
  readonly source: DeviceSource;
}

/**
 * Disks and their contents, as far as the kernel and udev know them, or the node itself. Source: Talos v1.14: COSI
 * resources, block; what container mode skips.
 */
export function blockControllers(init: BlockControllersInit): Controller[] {
  const { world, hasUdevd, readContents, systemDisk, source } = init;
  if (!world.showsMachine) return [];
  return [
    devicesController(source),
    symlinksController(source, hasUdevd),
    disksController(source),
    discoveryController({ source, readContents }),
    discoveredVolumesStatusController(),
    systemDiskController(systemDisk),
  ];
}
