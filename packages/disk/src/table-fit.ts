// Whether a table that another system has written can take one more partition without a write to anything that is not the table's own.
import {
  decodeTable,
  entriesSectors,
  firstUsable,
  isProtected,
  lastUsable,
  otherEntriesPlace,
  readHeader,
  sectorBytes,
  tableHeadBytes,
} from './partition-table.ts';
import { freeRanges } from './place-partition.ts';
import { tableTailBytes } from './table-copy.ts';

const mbrEntriesAt = 446;
const mbrEntryBytes = 16;
const entryBytes = 128;
const entryCount = 128;

/**
 * Why `tableChange()` with a partition of `placePartition()` could destroy something: they assume limits of their own, and other systems
 * keep data beside the limits that they wrote into the table. A member of a RAID has the table of its array, which is smaller than the disk,
 * and the metadata of the RAID behind it; some boot loaders lie between the table and the first partition.
 *
 * @param head the first `tableHeadBytes` of the disk, with its table
 * @param tail the last `tableTailBytes` of the disk
 * @param sectors of the disk, with 512 bytes each
 * @returns a text that follows the name of the disk; undefined when only the table and its usable area are written
 */
export function additionProblem(head: Buffer, tail: Buffer, sectors: number): string | undefined {
  const header = readHeader(head);
  const table = decodeTable(head);
  if (header === undefined || table === undefined) return 'has no GPT partition table';
  if (head.length < tableHeadBytes || tail.length !== tableTailBytes) return 'is too small for a partition';
  if (!hasOnlyProtectiveMbr(head)) return 'has partitions in its MBR';
  const last = sectors - 1;
  if (header.copyAt !== last)
    return 'has a GPT partition table that is that of a smaller disk, such as the array of a RAID';
  if (header.count !== entryCount || header.bytes !== entryBytes)
    return 'has a GPT partition table of an unusual size';
  const [whole] = freeRanges({ partitions: [] }, sectors);
  if (whole === undefined) return 'is too small for a partition';
  if (header.limits.first > whole.first || header.limits.last < whole.last)
    return 'has a GPT partition table that keeps a part of the disk free';
  if (!isCopyOrZeros(tail, table.guid, last))
    return 'has something else where the copy of its GPT partition table belongs';
  const place = otherEntriesPlace(header.entriesAt);
  const isChangedInPlace = table.partitions.some(({ first }) => first < firstUsable);
  const beside = head.subarray(place * sectorBytes, (place + entriesSectors) * sectorBytes);
  if (!isChangedInPlace && !hasOnlyEntries(beside, sectors))
    return 'has something between its GPT partition table and its first partition, such as a boot loader';
  return undefined;
}

/** Otherwise the kernel takes the partitions of the MBR for those of the disk, or both kinds. */
function hasOnlyProtectiveMbr(head: Buffer): boolean {
  const used = [0, 1, 2, 3].filter((index) => {
    const at = mbrEntriesAt + index * mbrEntryBytes;
    return !isZeros(head.subarray(at, at + mbrEntryBytes));
  });
  return isProtected(head.subarray(0, sectorBytes)) && used.length === 1;
}

/** The creation of a table that was interrupted leaves zeros. The entries of a copy may be older than its header when the power failed. */
function isCopyOrZeros(tail: Buffer, guid: string, last: number): boolean {
  if (isZeros(tail)) return true;
  const copy = readHeader(
    Buffer.concat([Buffer.alloc(sectorBytes), tail.subarray(tail.length - sectorBytes)]),
  );
  return copy?.guid === guid && copy.ownAt === last && copy.entriesAt === last - entriesSectors;
}

/** A change of the table that was interrupted, or an earlier table, leaves entries, each sector as a whole. */
function hasOnlyEntries(area: Buffer, sectors: number): boolean {
  for (let at = 0; at < area.length; at += entryBytes) {
    const entry = area.subarray(at, at + entryBytes);
    if (isZeros(entry)) continue;
    const [first, end] = [entry.readBigUInt64LE(32), entry.readBigUInt64LE(40)];
    const isInside = first >= BigInt(firstUsable) && first <= end && end <= BigInt(lastUsable(sectors));
    if (!isInside || isZeros(entry.subarray(0, 16)) || isZeros(entry.subarray(16, 32))) return false;
  }
  return true;
}

const isZeros = (bytes: Buffer) => bytes.equals(Buffer.alloc(bytes.length));
