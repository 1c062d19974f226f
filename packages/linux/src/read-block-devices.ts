import { readdirSync, realpathSync } from 'node:fs';
import { ifReadable, textIfReadable } from './if-readable.ts';

/** A disk or a partition, as the kernel announces it. */
export interface BlockDevice {
  /** The kernel's name. */
  readonly name: string;
  readonly type: 'disk' | 'partition';
  readonly major: number;
  readonly minor: number;
  /** Label of a partition; empty if it has none, and for disks. */
  readonly partitionName: string;
  /** Number of a partition; 0 for disks. */
  readonly partitionNumber: number;
  /** Its folder in sysfs, without links: `/sys/devices/…`. */
  readonly sysPath: string;
  /** The disk of a partition; empty for a disk. */
  readonly parent: string;
  /** Names of the devices below it, such as the members of a RAID. */
  readonly secondaries: readonly string[];
  /** Offset of a partition on its disk; otherwise 0. */
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

/** Sector size of sysfs, whatever the sector size of the device. */
const sectorBytes = 512;

/**
 * All block devices, each disk before its partitions. A device that is removed during the read is left out.
 *
 * @param sysRoot where sysfs is mounted; default `/sys`.
 */
export function readBlockDevices(sysRoot = '/sys'): BlockDevice[] {
  return namesIn(`${sysRoot}/block`).flatMap((disk) => {
    const folder = `${sysRoot}/block/${disk}`;
    const device = readBlockDevice(folder, disk, '');
    if (device === undefined) return [];
    // The name of a partition begins with that of its disk. Other folders, such as `queue`, are not read.
    const partitions = namesIn(folder)
      .filter((name) => name.startsWith(disk) && textOf(`${folder}/${name}/partition`) !== '')
      .map((name) => readBlockDevice(`${folder}/${name}`, name, disk));
    return [device, ...partitions.filter((partition) => partition !== undefined)];
  });
}

/**
 * Where the kernel takes a partition to be on its disk; undefined when it knows no such partition.
 *
 * @param name `vda5`
 * @param sysRoot where sysfs is mounted; default `/sys`.
 */
export function readPartitionPlace(
  name: string,
  sysRoot = '/sys',
): Pick<BlockDevice, 'offsetBytes' | 'sizeBytes'> | undefined {
  const folder = `${sysRoot}/class/block/${name}`;
  const sizeBytes = sectors(`${folder}/size`);
  // A disk has no such file, and a partition is never empty.
  if (textOf(`${folder}/partition`) === '' || sizeBytes === 0) return undefined;
  return { offsetBytes: sectors(`${folder}/start`), sizeBytes };
}

function readBlockDevice(folder: string, name: string, parent: string): BlockDevice | undefined {
  const facts = new Map(
    textOf(`${folder}/uevent`)
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const sysPath = ifReadable(() => realpathSync.native(folder));
  const [major, minor] = [Number(facts.get('MAJOR')), Number(facts.get('MINOR'))];
  if (sysPath === undefined || !Number.isInteger(major) || !Number.isInteger(minor)) return undefined;
  return {
    name,
    type: facts.get('DEVTYPE') === 'partition' ? 'partition' : 'disk',
    major,
    minor,
    partitionName: facts.get('PARTNAME') ?? '',
    partitionNumber: Number(facts.get('PARTN') ?? 0),
    sysPath,
    parent,
    secondaries: namesIn(`${folder}/slaves`),
    // A disk has no such file.
    offsetBytes: parent === '' ? 0 : sectors(`${folder}/start`),
    sizeBytes: sectors(`${folder}/size`),
  };
}

function sectors(file: string): number {
  const text = textOf(file);
  return /^\d{1,13}$/.test(text) ? Number(text) * sectorBytes : 0;
}

function namesIn(folder: string): string[] {
  return (ifReadable(() => readdirSync(folder)) ?? []).sort();
}

const textOf = (file: string) => textIfReadable(file).trim();
