// Decisions about the partition table of the system disk.
import {
  grownEnd,
  type Partition,
  type PartitionTable,
  partitionTypes,
  placePartition,
} from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import { decimalSize } from '../../base/domain/decimal-size.ts';

/** A partition that the node wants on its system disk. */
export interface PartitionWish {
  readonly label: string;
  readonly minBytes: number;
  readonly maxBytes: MaxBytes;
  /** Whether an existing partition grows into the free space behind it. */
  readonly grows: boolean;
}

/** Undefined: all that is free. */
export type MaxBytes =
  | number
  | { readonly percent: number }
  | { readonly leaveFreeBytes: number }
  | { readonly leaveFreePercent: number }
  | undefined;

/**
 * The label of a partition while its file system is created. So a partition with the label of its volume always
 * has a whole file system, also when the power fails.
 */
export const unfinishedLabel = (label: string) => `${label}.new`;

/**
 * The table with one more partition, unfinished.
 *
 * @param guid of the new partition
 * @throws Fault `resource-exhausted` when no free range is large enough, `failed-precondition` when its largest size is below
 * its smallest one
 */
export function withPartition(
  table: PartitionTable,
  sectors: number,
  wish: PartitionWish,
  guid: string,
): { readonly table: PartitionTable; readonly made: Partition } {
  const { label, minBytes } = wish;
  const free = placePartition(table, sectors, { minBytes: 0 });
  const freeBytes = free === undefined ? 0 : (free.last - free.first + 1) * 512;
  const maxBytes = resolvedMax(wish.maxBytes, freeBytes);
  if (freeBytes >= minBytes && maxBytes !== undefined && maxBytes < minBytes)
    throw new Fault(
      'failed-precondition',
      `${label} cannot be created: its maxSize allows ${decimalSize(Math.floor(maxBytes))}, and its minSize is ${decimalSize(minBytes)}`,
    );
  const place = placePartition(table, sectors, { minBytes, maxBytes });
  if (place === undefined)
    throw new Fault(
      'resource-exhausted',
      `the disk has no room for ${label}: it needs ${decimalSize(minBytes)}, and the largest free range has ${decimalSize(freeBytes)}`,
    );
  const used = new Set(table.partitions.map(({ number }) => number));
  let number = 1;
  while (used.has(number)) number += 1;
  const made = { number, type: partitionTypes.linux, guid, label: unfinishedLabel(label), ...place };
  return { table: { ...table, partitions: [...table.partitions, made] }, made };
}

function resolvedMax(max: MaxBytes, freeBytes: number): number | undefined {
  if (max === undefined || typeof max === 'number') return max;
  if ('percent' in max) return (freeBytes * max.percent) / 100;
  if ('leaveFreePercent' in max) return (freeBytes * (100 - max.leaveFreePercent)) / 100;
  return Math.max(0, freeBytes - max.leaveFreeBytes);
}

/** The table after one of its partitions has changed. */
export function withChanged(table: PartitionTable, changed: Partition): PartitionTable {
  const partitions = table.partitions.map((one) => (one.number === changed.number ? changed : one));
  return { ...table, partitions };
}

/** The table without the partitions of these volumes, finished or not. */
export function withoutLabels(table: PartitionTable, labels: readonly string[]): PartitionTable {
  const gone = new Set(labels.flatMap((label) => [label, unfinishedLabel(label)]));
  return { ...table, partitions: table.partitions.filter(({ label }) => !gone.has(label)) };
}

/** The table without one of its partitions. */
export function withoutNumber(table: PartitionTable, number: number): PartitionTable {
  return { ...table, partitions: table.partitions.filter((one) => one.number !== number) };
}

/** The partition with its new end, or undefined when it is not to grow. Only a maximum in bytes limits the growth. */
export function grown(
  table: PartitionTable,
  sectors: number,
  partition: Partition,
  { grows, maxBytes }: PartitionWish,
): Partition | undefined {
  if (!grows || (maxBytes !== undefined && typeof maxBytes !== 'number')) return undefined;
  const last = grownEnd(table, sectors, partition, maxBytes);
  return last === undefined ? undefined : { ...partition, last };
}
