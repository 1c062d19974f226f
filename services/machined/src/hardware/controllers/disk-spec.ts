import type { BlockDisk } from '@nodewright/linux';
import type { BlockDeviceSpec, DiskSpec } from '@nodewright/state/kinds';
import { decimalSize } from '../../base/domain/decimal-size.ts';

/**
 * A disk as a resource.
 *
 * @param links the paths of links to it
 * @param devices all devices by name, to find the disks below it
 */
export function diskSpec(
  disk: BlockDisk,
  links: readonly string[],
  devices: ReadonlyMap<string, BlockDeviceSpec>,
): DiskSpec {
  const parts = devices.get(disk.name)?.secondaries ?? [];
  const sizeBytes = Number(disk.sizeBytes);
  return {
    dev_path: disk.devicePath,
    size: sizeBytes,
    pretty_size: decimalSize(sizeBytes),
    io_size: disk.ioBytes,
    sector_size: disk.sectorBytes,
    readonly: disk.isReadOnly,
    cdrom: disk.kind === 'cd',
    model: disk.model,
    firmware_version: disk.firmwareVersion,
    serial: disk.serial,
    modalias: disk.modalias,
    wwid: disk.wwid,
    uuid: disk.uuid,
    bus_path: disk.busPath,
    sub_system: disk.subsystem,
    transport: disk.transport,
    rotational: disk.isRotational,
    secondary_disks: [...new Set(parts.map((part) => devices.get(part)?.parent || part))].sort(),
    symlinks: links,
  };
}
