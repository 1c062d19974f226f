import {
  firstUsable,
  lastUsable,
  type Partition,
  type PartitionTable,
  sectorBytes,
} from './partition-table.ts';

/** Partitions begin and end at whole MiB, as every tool expects. Source: Talos v1.14: partitions. */
const alignment = (1 << 20) / sectorBytes;

/** A range of sectors, both ends included. */
export interface SectorRange {
  readonly first: number;
  readonly last: number;
}

/** The size of a partition, in bytes. */
export interface WantedSize {
  readonly minBytes: number;
  /** Undefined for as much as there is. */
  readonly maxBytes?: number | undefined;
}

/** The free ranges of a disk, in whole MiB, in their order. */
export function freeRanges(
  { partitions }: Pick<PartitionTable, 'partitions'>,
  sectors: number,
): SectorRange[] {
  const end = lastUsable(sectors);
  const ranges: SectorRange[] = [];
  let next = firstUsable;
  for (const { first, last } of partitions.toSorted((a, b) => a.first - b.first)) {
    addRange(ranges, next, first - 1);
    next = last + 1;
  }
  addRange(ranges, next, end);
  return ranges;
}

function addRange(ranges: SectorRange[], from: number, to: number): void {
  const first = Math.ceil(from / alignment) * alignment;
  const last = Math.floor((to + 1) / alignment) * alignment - 1;
  if (last > first) ranges.push({ first, last });
}

/**
 * The place of a new partition, or undefined when no free range is large enough, or the maximum is below the minimum. A partition with a maximum gets the
 * smallest range that holds the maximum; where there is none, and without a maximum, the largest range.
 */
export function placePartition(
  table: Pick<PartitionTable, 'partitions'>,
  sectors: number,
  { minBytes, maxBytes }: WantedSize,
): SectorRange | undefined {
  const bySize = freeRanges(table, sectors).toSorted((a, b) => sizeOf(a) - sizeOf(b) || a.first - b.first);
  const most = maxBytes === undefined ? undefined : sectorsFor(maxBytes);
  const fits = most === undefined ? undefined : bySize.find((range) => sizeOf(range) >= most);
  const range = fits ?? bySize.at(-1);
  if (range === undefined) return undefined;
  const size = Math.min(sizeOf(range), most ?? sizeOf(range));
  return size < sectorsFor(minBytes) ? undefined : { first: range.first, last: range.first + size - 1 };
}

/**
 * The last sector of a partition after it has grown into the free space behind it: at most to its maximum, and by at
 * least one MiB. Undefined when it cannot grow.
 */
export function grownEnd(
  table: Pick<PartitionTable, 'partitions'>,
  sectors: number,
  { first, last }: Pick<Partition, 'first' | 'last'>,
  maxBytes: number | undefined,
): number | undefined {
  const others = table.partitions.filter((other) => other.first !== first);
  const range = freeRanges({ partitions: others }, sectors).find(
    (free) => free.first <= Math.ceil(first / alignment) * alignment && free.last >= last,
  );
  if (range === undefined) return undefined;
  const most = maxBytes === undefined ? range.last : first + sectorsFor(maxBytes) - 1;
  const end = Math.min(range.last, most);
  return end - last >= alignment ? end : undefined;
}

const sizeOf = ({ first, last }: SectorRange) => last - first + 1;
const sectorsFor = (bytes: number) => Math.ceil(bytes / (alignment * sectorBytes)) * alignment;
