// The messages of udevd-bridge as what the controllers work with.
import {
  type Device,
  DiskKind as DiskKindMessage,
  type Event as EventMessage,
  EventSource,
  type FirmwareResponse,
  GapReason,
  Mode,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import type { BlockDevice, BlockDisk, DiskKind, LinkHardware, PciDevice, Smbios } from '@nodewright/linux';
import type { DeviceEvent } from './device-source.ts';

const diskKinds = new Map<DiskKindMessage, DiskKind>([
  [DiskKindMessage.DISK_KIND_SSD, 'ssd'],
  [DiskKindMessage.DISK_KIND_HDD, 'hdd'],
  [DiskKindMessage.DISK_KIND_NVME, 'nvme'],
  [DiskKindMessage.DISK_KIND_SD, 'sd'],
  [DiskKindMessage.DISK_KIND_CD, 'cd'],
]);

export const modeNames = new Map<Mode, string>([
  [Mode.MODE_UDEVD, 'udevd'],
  [Mode.MODE_READ_ONLY, 'read-only'],
]);

const gapTexts = new Map<GapReason, string>([
  [GapReason.GAP_REASON_KERNEL_DROPPED, 'the kernel has dropped events'],
  [GapReason.GAP_REASON_HISTORY_TOO_SHORT, 'udevd-bridge does not keep the missed events any more'],
  [GapReason.GAP_REASON_OTHER_HISTORY, 'udevd-bridge was started again'],
]);

export const gapText = (reason: GapReason): string => gapTexts.get(reason) ?? 'events were missed';

export function deviceEvent({ action, path, subsystem, source }: EventMessage): DeviceEvent {
  const isProcessed = source === EventSource.EVENT_SOURCE_UDEVD;
  return { action, path, subsystem, isProcessed, name: path.slice(path.lastIndexOf('/') + 1) };
}

/** Undefined for a device of another subsystem. */
export function blockDevice({ name, path, type, details }: Device): BlockDevice | undefined {
  if (details?.$case !== 'block') return undefined;
  const { major, minor, partitionName, partitionNumber, parent, secondaries, offsetBytes, sizeBytes } =
    details.value;
  return {
    ...{
      name,
      type: type === 'partition' ? 'partition' : 'disk',
      major,
      minor,
      partitionName,
      partitionNumber,
    },
    ...{
      sysPath: `/sys${path}`,
      parent,
      secondaries,
      offsetBytes: Number(offsetBytes),
      sizeBytes: Number(sizeBytes),
    },
  };
}

/** Undefined for a device that is no disk with content. */
export function blockDisk({ name, details }: Device): BlockDisk | undefined {
  const block = details?.$case === 'block' ? details.value : undefined;
  if (block?.disk === undefined) return undefined;
  const { kind, model, serial, modalias, uuid, wwid, busPath, subsystem, isReadOnly } = block.disk;
  const { isRotational, sectorBytes, ioBytes, firmwareVersion, transport } = block.disk;
  return {
    ...{
      name,
      devicePath: `/dev/${name}`,
      sizeBytes: block.sizeBytes,
      kind: diskKinds.get(kind) ?? 'ssd',
      model,
    },
    ...{ serial, modalias, uuid, wwid, busPath, subsystem, isReadOnly, isRotational, sectorBytes, ioBytes },
    ...{ firmwareVersion, transport },
  };
}

/** Undefined for a device of another subsystem. */
export function pciDevice({ name, driver, details }: Device): PciDevice | undefined {
  return details?.$case === 'pci' ? { address: name, driver, ...details.value } : undefined;
}

/** The name and the hardware of a network link; nothing for any other device, and for a link without hardware. */
export function linkHardware({ name, details }: Device): (readonly [string, LinkHardware])[] {
  return details?.$case === 'link' ? [[name, details.value]] : [];
}

export function smbios({ system, processors, memoryModules }: FirmwareResponse): Smbios {
  return {
    ...{ system, processors },
    memoryModules: memoryModules.map(({ sizeMib, ...module }) => ({ ...module, sizeMiB: sizeMib })),
  };
}

/** The links to block devices below `/dev/disk`, sorted, by the name of the device. */
export function deviceLinks(devices: readonly Device[]): Map<string, readonly string[]> {
  const links = devices.map(
    ({ name, udev }) =>
      [name, (udev?.links ?? []).filter((link) => link.startsWith('/dev/disk/')).sort()] as const,
  );
  return new Map(links.filter(([, paths]) => paths.length > 0));
}
