import type { Controller } from '@nodewright/controllers';
import type { World } from '../../base/domain/world.ts';
import type { DeviceSource } from '../host/device-source.ts';
import { readContents } from '../host/read-contents.ts';
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
  /** Path of the disk that holds META; undefined when no disk of this node does. */
  readonly systemDisk: () => string | undefined;
  readonly source: DeviceSource;
}

/**
 * Disks and their contents, as far as the kernel and udev know them, or the node itself. Source: Talos v1.14: COSI
 * resources, block; what container mode skips.
 */
export function blockControllers(init: BlockControllersInit): Controller[] {
  const { world, hasUdevd, readsContents, systemDisk, source } = init;
  if (!world.showsMachine) return [];
  return [
    devicesController(source),
    symlinksController(source, hasUdevd),
    disksController(source),
    discoveryController({
      source,
      readContents: readsContents ? (devices) => readContents(devices) : undefined,
    }),
    discoveredVolumesStatusController(),
    systemDiskController(systemDisk),
  ];
}
