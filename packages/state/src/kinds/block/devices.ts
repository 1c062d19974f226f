import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int, list, text, uint, uint64, unlessEmpty } from '../../spec/field-types.ts';

/** Block devices of the kernel, by its name for them. */
export const blockDevices = defineKind({
  type: 'BlockDevices.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Type: '{.type}',
    PartitionName: '{.partitionName}',
    Generation: '{.generation}',
  },
  spec: {
    /** `disk` or `partition` (uevent DEVTYPE). */
    type: field(1, text),
    major: field(2, int),
    minor: field(3, int),
    /** PARTNAME from uevent. */
    partitionName: unlessEmpty(4, text),
    partitionNumber: unlessEmpty(5, int),
    /** In `/sys`. */
    devicePath: field(7, text),
    /** Counted up whenever its content may have changed. */
    generation: field(6, int),
    /** Parent device id for partitions. */
    parent: unlessEmpty(8, text),
    /** The devices that it is made of. */
    secondaries: unlessEmpty(9, list(text)),
  },
});
export type BlockDeviceSpec = SpecOf<typeof blockDevices>;

/** Links to each block device below `/dev/disk`. */
export const blockSymlinks = defineKind({
  type: 'BlockSymlinks.block.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    /** Sorted /dev/disk symlinks of the device. */
    paths: field(1, list(text)),
  },
});
export type BlockSymlinkSpec = SpecOf<typeof blockSymlinks>;

/** Disks by the kernel's name for them, without those of memory and without media. */
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
    /** Below `/dev`. */
    dev_path: field(14, text),
    /** Bytes. */
    size: field(1, uint64),
    /** With a unit of powers of 1000. */
    pretty_size: field(15, text),
    /** The best size of an access, in bytes. */
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
    /** Device UUID (NVMe). */
    uuid: unlessEmpty(17, text),
    /** Where it is attached, in `/sys`. */
    bus_path: unlessEmpty(9, text),
    /** `/sys/class/block` style link. */
    sub_system: unlessEmpty(10, text),
    /** `nvme`, `virtio`, `sata`, `usb`, `mmc`,…. */
    transport: unlessEmpty(11, text),
    rotational: unlessEmpty(12, bool),
    /** Parent disks of secondaries. */
    secondary_disks: unlessEmpty(16, list(text)),
    symlinks: unlessEmpty(18, list(text)),
  },
});
export type DiskSpec = SpecOf<typeof disks>;

/** The disk that holds META. */
export const systemDisks = defineKind({
  type: 'SystemDisks.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'system-disk',
  printColumns: {
    Disk: '{.diskID}',
  },
  spec: {
    /** Disk id holding the META partition. */
    diskID: field(1, text),
    /** Below `/dev`. */
    devPath: field(2, text),
  },
});
export type SystemDiskSpec = SpecOf<typeof systemDisks>;
