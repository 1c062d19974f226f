import { type Counters, countersFromColumns } from './counters.ts';

/**
 * The counters of a block device since boot, in the order of the columns of `/proc/diskstats` after major,
 * minor and name. A sector is 512 bytes here, whatever the sector size of the device.
 */
export const diskCounterNames = [
  'readCompleted',
  'readMerged',
  'readSectors',
  'readTimeMs',
  'writeCompleted',
  'writeMerged',
  'writeSectors',
  'writeTimeMs',
  'ioInProgress',
  'ioTimeMs',
  'ioTimeWeightedMs',
  'discardCompleted',
  'discardMerged',
  'discardSectors',
  'discardTimeMs',
] as const;

export interface Disk {
  readonly name: string;
  readonly counters: Counters<(typeof diskCounterNames)[number]>;
}

/**
 * Parses `/proc/diskstats`: disks and their partitions. Lines with fewer than 18 columns (kernels before
 * 4.18) are left out.
 */
export function parseDiskstats(text: string): Disk[] {
  const disks: Disk[] = [];
  for (const line of text.split('\n')) {
    const [, , name, ...columns] = line.trim().split(/\s+/);
    const counters = countersFromColumns(diskCounterNames, columns);
    if (name !== undefined && counters) disks.push({ name, counters });
  }
  return disks;
}
