// Devices and events as messages.
import {
  type Device,
  DiskKind,
  type Event,
  EventSource,
  type FirmwareMemoryModule,
  GapReason,
  type Position,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import type { BlockDevice, BlockDisk, SmbiosMemoryModule } from '@nodewright/linux';
import type { DeviceEvent, GapReason as Reason, EventSource as Source } from '../domain/device-event.ts';
import type { HistoryPosition } from '../domain/event-history.ts';
import { parseProperties } from '../domain/parse-message.ts';
import type { SysfsDevice } from '../host/read-devices.ts';

const sources: Readonly<Record<Source, EventSource>> = {
  kernel: EventSource.EVENT_SOURCE_KERNEL,
  udevd: EventSource.EVENT_SOURCE_UDEVD,
};

const reasons: Readonly<Record<Reason, GapReason>> = {
  'kernel-dropped': GapReason.GAP_REASON_KERNEL_DROPPED,
  'history-too-short': GapReason.GAP_REASON_HISTORY_TOO_SHORT,
  'other-history': GapReason.GAP_REASON_OTHER_HISTORY,
};

const diskKinds: Readonly<Record<BlockDisk['kind'], DiskKind>> = {
  ssd: DiskKind.DISK_KIND_SSD,
  hdd: DiskKind.DISK_KIND_HDD,
  nvme: DiskKind.DISK_KIND_NVME,
  sd: DiskKind.DISK_KIND_SD,
  cd: DiskKind.DISK_KIND_CD,
};

export const gapReason = (reason: Reason): GapReason => reasons[reason];

/** The source that a message names; undefined for any other value. */
export function sourceFrom(value: EventSource): Source | undefined {
  return (Object.keys(sources) as Source[]).find((source) => sources[source] === value);
}

export function positionMessage({ history, sequence }: HistoryPosition): Position {
  return { history, sequence: BigInt(sequence) };
}

/** A number that no history reaches stays larger than any of them. */
export function positionFrom({ history, sequence }: Position): HistoryPosition {
  return { history, sequence: Number(sequence) };
}

export function eventMessage(sequence: number, event: DeviceEvent): Event {
  const { source, action, path, subsystem } = event;
  return {
    ...{ sequence: BigInt(sequence), source: sources[source], action, path, subsystem },
    properties: Object.fromEntries(parseProperties(event.properties) ?? []),
  };
}

export function deviceMessage(device: SysfsDevice): Device {
  const { path, subsystem, name, properties, driver, parentPath, udev } = device;
  return {
    ...{ path, subsystem, name, driver, parentPath },
    type: properties.get('DEVTYPE') ?? '',
    properties: Object.fromEntries(properties),
    udev: udev && {
      properties: { ...udev.properties },
      links: [...udev.links],
      tags: [...udev.tags],
      initializedUsec: BigInt(udev.initializedUsec),
    },
    details: detailsMessage(device),
  };
}

function detailsMessage({ block, pci, link }: SysfsDevice): Device['details'] {
  if (block !== undefined) return { $case: 'block', value: blockMessage(block) };
  if (link !== undefined) return { $case: 'link', value: { ...link } };
  if (pci === undefined) return undefined;
  const { classId, subclassId, vendorId, productId } = pci;
  return { $case: 'pci', value: { classId, subclassId, vendorId, productId } };
}

/** The generated code spells the unit in its own way. */
export function memoryModuleMessage({ sizeMiB, ...module }: SmbiosMemoryModule): FirmwareMemoryModule {
  return { ...module, sizeMib: sizeMiB };
}

function blockMessage({ device, disk }: { device: BlockDevice; disk: BlockDisk | undefined }) {
  const { major, minor, partitionName, partitionNumber, parent, secondaries, offsetBytes, sizeBytes } =
    device;
  return {
    ...{ major, minor, partitionName, partitionNumber, parent, secondaries: [...secondaries] },
    offsetBytes: BigInt(offsetBytes),
    sizeBytes: BigInt(sizeBytes),
    disk: disk && diskMessage(disk),
  };
}

function diskMessage(disk: BlockDisk) {
  const { kind, model, serial, modalias, uuid, wwid, busPath, subsystem, isReadOnly } = disk;
  const { isRotational, sectorBytes, ioBytes, firmwareVersion, transport } = disk;
  return {
    ...{ kind: diskKinds[kind], model, serial, modalias, uuid, wwid, busPath, subsystem, isReadOnly },
    ...{ isRotational, sectorBytes, ioBytes, firmwareVersion, transport },
  };
}
