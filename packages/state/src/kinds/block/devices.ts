import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int, list, text, uint, uint64, unlessEmpty } from '../../spec/field-types.ts';

/** Block devices of the kernel, by device name. */
export const blockDevices = defineKind({
  type: 'BlockDevices.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Type: '{.type}',
    PartitionName: '{.partitionName}',
    Generation: '{.generation}',
  },
  spec: {
    /** `disk` or `partition` (DEVTYPE of the uevent). */
    type: field(1, text),
    major: field(2, int),
    minor: field(3, int),
    /** PARTNAME of the uevent. */
    partitionName: unlessEmpty(4, text),
    partitionNumber: unlessEmpty(5, int),
    /** Path below `/sys`. */
    devicePath: field(7, text),
    /** Counter that increases whenever the content of the device may have changed. */
    generation: field(6, int),
    /** ID of the parent device, for partitions. */
    parent: unlessEmpty(8, text),
    /** IDs of the devices that make up this device, such as the members of an array. */
    secondaries: unlessEmpty(9, list(text)),
  },
});
export type BlockDeviceSpec = SpecOf<typeof blockDevices>;

/** Symlinks below `/dev/disk`, by device name. */
export const blockSymlinks = defineKind({
  type: 'BlockSymlinks.block.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    /** Sorted paths of the symlinks to the device. */
    paths: field(1, list(text)),
  },
});
export type BlockSymlinkSpec = SpecOf<typeof blockSymlinks>;

/** Disks by device name, without RAM disks and drives without a medium. */
export const disks = defineKind({
  type: 'Disks.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Size: '{.pretty_size}',
    'Read Only': '{.readonly}',
    Transport: '{.transport}',
    Rotational: '{.rotational}',
    WWID: '{.wwid}',
    Model: '{.model}',
    Serial: '{.serial}',
  },
  spec: {
    /** Device path below `/dev`. */
    dev_path: field(14, text),
    /** Bytes. */
    size: field(1, uint64),
    /** Human-readable size with a decimal unit. */
    pretty_size: field(15, text),
    /** Optimal I/O size in bytes. */
    io_size: field(2, uint),
    /** Bytes. */
    sector_size: field(3, uint),
    readonly: field(4, bool),
    cdrom: field(13, bool),
    model: unlessEmpty(5, text),
    firmware_version: unlessEmpty(19, text),
    serial: unlessEmpty(6, text),
    modalias: unlessEmpty(7, text),
    wwid: unlessEmpty(8, text),
    /** Device UUID (NVMe only). */
    uuid: unlessEmpty(17, text),
    /** Path of the bus device below `/sys`. */
    bus_path: unlessEmpty(9, text),
    /** Target of the subsystem link, such as `/sys/class/block`. */
    sub_system: unlessEmpty(10, text),
    /** `nvme`, `virtio`, `sata`, `usb`, `mmc` and so on. */
    transport: unlessEmpty(11, text),
    rotational: unlessEmpty(12, bool),
    /** The disks below this one, for a device made of several. */
    secondary_disks: unlessEmpty(16, list(text)),
    symlinks: unlessEmpty(18, list(text)),
  },
});
export type DiskSpec = SpecOf<typeof disks>;

/** The disk with the META partition. */
export const systemDisks = defineKind({
  type: 'SystemDisks.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'system-disk',
  printColumns: {
    Disk: '{.diskID}',
  },
  spec: {
    /** Device ID of the disk. */
    diskID: field(1, text),
    /** Device path below `/dev`. */
    devPath: field(2, text),
  },
});
export type SystemDiskSpec = SpecOf<typeof systemDisks>;
