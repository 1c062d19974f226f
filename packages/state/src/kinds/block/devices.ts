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
    /** Device major. */
    major: field(2, int),
    /** Device minor. */
    minor: field(3, int),
    /** PARTNAME from uevent. */
    partitionName: unlessEmpty(4, text),
    /** PARTN. */
    partitionNumber: unlessEmpty(5, int),
    /** Sysfs path under /sys. */
    devicePath: field(7, text),
    /** Bumped on every possible change, forces re-probe. */
    generation: field(6, int),
    /** Parent device id for partitions. */
    parent: unlessEmpty(8, text),
    /** Underlying device ids (dm/md). */
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
    /** /dev path. */
    dev_path: field(14, text),
    /** Bytes. */
    size: field(1, uint64),
    /** Decimal humanized size. */
    pretty_size: field(15, text),
    /** Optimal I/O bytes. */
    io_size: field(2, uint),
    /** Bytes. */
    sector_size: field(3, uint),
    /** Write protected. */
    readonly: field(4, bool),
    /** Is a CD drive. */
    cdrom: field(13, bool),
    /** Model string. */
    model: unlessEmpty(5, text),
    /** Firmware revision. */
    firmware_version: unlessEmpty(19, text),
    /** Serial (udev helper fallback). */
    serial: unlessEmpty(6, text),
    /** Kernel modalias. */
    modalias: unlessEmpty(7, text),
    /** World-wide id. */
    wwid: unlessEmpty(8, text),
    /** Device UUID (NVMe). */
    uuid: unlessEmpty(17, text),
    /** Sysfs bus path. */
    bus_path: unlessEmpty(9, text),
    /** `/sys/class/block` style link. */
    sub_system: unlessEmpty(10, text),
    /** `nvme`,`virtio`,`sata`,`usb`,`mmc`,…. */
    transport: unlessEmpty(11, text),
    /** Spinning media. */
    rotational: unlessEmpty(12, bool),
    /** Parent disks of secondaries. */
    secondary_disks: unlessEmpty(16, list(text)),
    /** /dev/disk/by-* paths. */
    symlinks: unlessEmpty(18, list(text)),
  },
});
export type DiskSpec = SpecOf<typeof disks>;

/** `system-disk`: the disk that holds META. */
export const systemDisks = defineKind({
  type: 'SystemDisks.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Disk: '{.diskID}',
  },
  spec: {
    /** Disk id holding the META partition. */
    diskID: field(1, text),
    /** /dev path. */
    devPath: field(2, text),
  },
});
export type SystemDiskSpec = SpecOf<typeof systemDisks>;
