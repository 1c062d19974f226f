import type { Controller } from '@nodewright/controllers';
import { parseMeminfo } from '@nodewright/linux';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import type { World } from '../../base/domain/world.ts';
import type { DeviceSource } from '../host/device-source.ts';
import { cpuInfoController } from './cpu-info.ts';
import { deviceSourceStatusController } from './device-source-status.ts';
import { pciDevicesController } from './pci-devices.ts';
import { systemInfoController } from './system-info.ts';

export interface HardwareControllersInit {
  readonly world: Pick<World, 'showsMachine'>;
  /** Whether udevd is one of the node's services. */
  readonly hasUdevd: boolean;
  /** Reads a file of the kernel or of the system. */
  readonly read: ReadIfThere;
  readonly source: DeviceSource;
}

/** Where distributions install the list of PCI device names. */
const pciIdFiles = ['/usr/share/hwdata/pci.ids', '/usr/share/misc/pci.ids'];

/**
 * The hardware that the node runs on. Source: Talos v1.14: COSI resources, hardware; what container mode
 * skips.
 */
export function hardwareControllers(init: HardwareControllersInit): Controller[] {
  const { world, hasUdevd, read, source } = init;
  if (!world.showsMachine) return [];
  return [
    deviceSourceStatusController(source),
    systemInfoController({
      source,
      memoryKiB: () => Number(parseMeminfo(read('/proc/meminfo')?.toString() ?? '').get('MemTotal') ?? 0),
    }),
    cpuInfoController(read, source),
    pciDevicesController({
      source,
      readPciIds: () => pciIdFiles.map(read).find((list) => list !== undefined),
      hasUdevd,
    }),
  ];
}
