// Partition tables of the kind GPT: the protective MBR, both headers and both arrays of entries.
// Source: UEFI specification 2.10, chapter 5.
import { crc32 } from 'node:zlib';
import { decodeGuid, encodeGuid } from './guid.ts';

export const sectorBytes = 512;
const headerBytes = 92;
const entryBytes = 128;
const entryCount = 128;
export const entriesSectors = (entryCount * entryBytes) / sectorBytes;
const nameBytes = 72;
const signature = 'EFI PART';
const revision = 0x10000;

export interface Partition {
  /** Counts from 1. Partition 3 of `/dev/vda` is `/dev/vda3`. */
  readonly number: number;
  /** GUID of the purpose, see `partitionTypes`. */
  readonly type: string;
  /** GUID of this partition. */
  readonly guid: string;
  /** At most 36 UTF-16 code units. */
  readonly label: string;
  /** First and last sector. */
  readonly first: number;
  readonly last: number;
  /** Bits of the attributes; bit 2 marks a partition that a BIOS boots. Default 0. */
  readonly attributes?: bigint;
}

export interface PartitionTable {
  /** GUID of the disk. */
  readonly guid: string;
  readonly partitions: readonly Partition[];
}

/** GUIDs of purposes. Source: UEFI specification 2.10, table 5.7; Talos v1.14: partitions. */
export const partitionTypes = {
  efiSystem: 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b',
  biosBoot: '21686148-6449-6e6f-744e-656564454649',
  linux: '0fc63daf-8483-4772-8e79-3d69d8477de4',
  swap: '0657fd6d-a4ab-43c4-84e5-0933c84b4f4f',
} as const;

/** What to write at the beginning and at the end of a disk. */
export interface EncodedTable {
  /** From sector 0: protective MBR, header and entries. */
  readonly head: Buffer;
  /** The copy: entries and header, up to the last sector. */
  readonly tail: Buffer;
}

/**
 * The two places for the entries at the beginning of a disk. A changed table goes to the place that is not in use, so
 * that one write of the header, a single sector, replaces the old table by the new one.
 */
const entriesPlaces = [2, 2 + entriesSectors] as const;

/** The place that a change of the table writes to. @param entriesAt where the entries are now */
export const otherEntriesPlace = (entriesAt: number): number =>
  entriesAt === entriesPlaces[0] ? entriesPlaces[1] : entriesPlaces[0];

/** The first sector that a partition may use. */
export const firstUsable = 2 + 2 * entriesSectors;

/** Bytes at the beginning of a disk that `decodeTable()` needs. */
export const tableHeadBytes = firstUsable * sectorBytes;

/** The last sector that a partition may use on a disk of this many sectors. */
export const lastUsable = (sectors: number) => sectors - 2 - entriesSectors;

/**
 * Encodes a table for a disk of `sectors` sectors.
 *
 * @throws Error for partitions that overlap or leave the disk, a number twice or out of range, or a label that is too
 * long
 */
export function encodeTable(table: PartitionTable, sectors: number): EncodedTable {
  const { entries, headerOf } = encoderOf(table, sectors);
  const last = sectors - 1;
  return {
    head: Buffer.concat([protectiveMbr(sectors), headerOf(1, last, entriesPlaces[0]), entries]),
    tail: Buffer.concat([entries, headerOf(last, 1, last - entriesSectors)]),
  };
}

/** Bytes to write to a disk. */
export interface DiskWrite {
  /** Bytes from the beginning of the disk. */
  readonly at: number;
  readonly bytes: Buffer;
}

/**
 * The writes that replace the table of a disk. Each must be on the disk before the next one begins: then the table is the
 * old or the new one whenever the power fails, because the header that selects one of them is one sector. In a table of
 * another system the second place for the entries may belong to a partition, or be too short. Then they are written in
 * place, after the copy at the end of the disk: when the power fails, one of both is whole. What reads only the first
 * table, such as this module, may see none until it is repaired from the copy; the data are there.
 *
 * @param head the first `tableHeadBytes` of the disk, with its present table
 * @throws Error as `encodeTable()`, with the limits of the present table; for a disk without a table, or without room for the copy
 */
export function tableChange(head: Buffer, table: PartitionTable, sectors: number): DiskWrite[] {
  const present = readHeader(head);
  const presentPartitions = decodeTable(head)?.partitions;
  if (present === undefined || presentPartitions === undefined)
    throw new Error('the disk has no partition table to change');
  const hasSecondPlace = presentPartitions.every(({ first }) => first >= firstUsable);
  if (!hasSecondPlace || present.count !== entryCount || present.bytes !== entryBytes)
    return changeInPlace(head, present, table, sectors);
  const { entries, headerOf } = encoderOf(table, sectors);
  const place = otherEntriesPlace(present.entriesAt);
  const last = sectors - 1;
  const mbr = Buffer.from(head.subarray(0, sectorBytes));
  // Some tools put another entry first.
  if (mbr.readUInt8(protectiveEntryAt + 4) === protectiveType)
    mbr.writeUInt32LE(protectedSectors(sectors), protectiveEntryAt + 12);
  const writes = [
    { at: place, bytes: entries },
    { at: 1, bytes: headerOf(1, last, place) },
    { at: last - entriesSectors, bytes: Buffer.concat([entries, headerOf(last, 1, last - entriesSectors)]) },
    { at: 0, bytes: mbr },
  ];
  return writes.map(({ at, bytes }) => ({ at: at * sectorBytes, bytes }));
}

/** Changes the entries, and of both headers only the checksums. The MBR stays as it is. */
function changeInPlace(
  head: Buffer,
  present: TableHeader,
  table: PartitionTable,
  sectors: number,
): DiskWrite[] {
  const { entriesAt, count, bytes, copyAt, limits } = present;
  const entriesLength = count * bytes;
  const length = Math.ceil(entriesLength / sectorBytes);
  const copyEntriesAt = copyAt - length;
  if (entriesAt < 2 || entriesAt + length > limits.first)
    throw new Error('the entries of the table lie where its partitions may be');
  if (copyAt >= sectors || copyEntriesAt <= limits.last)
    throw new Error('the copy of the table is outside of the disk, or has no room before it');
  checkTable(table, { ...limits, count });
  const old = head.subarray(entriesAt * sectorBytes, entriesAt * sectorBytes + entriesLength);
  const entries = Buffer.alloc(length * sectorBytes);
  for (const partition of table.partitions) {
    const at = (partition.number - 1) * bytes;
    // Longer entries end with bytes that only their system knows.
    old.copy(entries, at, at, at + bytes);
    encodeEntry(partition).copy(entries, at);
  }
  const checksum = crc32(entries.subarray(0, entriesLength));
  const headerOf = (own: number, other: number, ownEntriesAt: number) => {
    const header = Buffer.from(head.subarray(sectorBytes, 2 * sectorBytes));
    for (const [value, at] of [
      [own, 24],
      [other, 32],
      [ownEntriesAt, 72],
    ] as const)
      header.writeBigUInt64LE(BigInt(value), at);
    header.writeUInt32LE(checksum, 88);
    header.writeUInt32LE(0, 16);
    header.writeUInt32LE(crc32(header.subarray(0, header.readUInt32LE(12))), 16);
    return header;
  };
  const writes = [
    { at: copyEntriesAt, bytes: Buffer.concat([entries, headerOf(copyAt, 1, copyEntriesAt)]) },
    { at: entriesAt, bytes: entries },
    { at: 1, bytes: headerOf(1, copyAt, entriesAt) },
  ];
  return writes.map(({ at, bytes: written }) => ({ at: at * sectorBytes, bytes: written }));
}

function encoderOf(table: PartitionTable, sectors: number) {
  checkTable(table, { first: firstUsable, last: lastUsable(sectors), count: entryCount });
  const entries = Buffer.alloc(entryCount * entryBytes);
  for (const partition of table.partitions)
    encodeEntry(partition).copy(entries, (partition.number - 1) * entryBytes);
  const headerOf = (own: number, other: number, entriesAt: number) =>
    encodeHeader({ guid: table.guid, own, other, entriesAt, sectors, entries });
  return { entries, headerOf };
}

/** What a table allows: the first and the last sector of partitions, and their number. */
interface TableLimits {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

function checkTable({ partitions }: PartitionTable, limits: TableLimits): void {
  const numbers = new Set<number>();
  for (const { number, label } of partitions) {
    if (!Number.isInteger(number) || number < 1 || number > limits.count || numbers.has(number))
      throw new Error(
        `partition "${label}" has the number ${number}: numbers are 1 to ${limits.count}, each once`,
      );
    numbers.add(number);
  }
  const sorted = partitions.toSorted((a, b) => a.first - b.first);
  for (const [index, { label, first, last }] of sorted.entries()) {
    const before = sorted[index - 1];
    if (Buffer.byteLength(label, 'utf16le') > nameBytes)
      throw new Error(`partition label "${label}" is too long`);
    if (first < limits.first || last < first || last > limits.last)
      throw new Error(`partition "${label}" (sectors ${first} to ${last}) is outside of the disk`);
    if (before !== undefined && before.last >= first)
      throw new Error(`partitions "${before.label}" and "${label}" overlap`);
  }
}

function encodeEntry({ type, guid, label, first, last, attributes = 0n }: Partition): Buffer {
  const entry = Buffer.alloc(entryBytes);
  encodeGuid(type).copy(entry, 0);
  encodeGuid(guid).copy(entry, 16);
  entry.writeBigUInt64LE(BigInt(first), 32);
  entry.writeBigUInt64LE(BigInt(last), 40);
  entry.writeBigUInt64LE(attributes, 48);
  entry.write(label, 56, 'utf16le');
  return entry;
}

interface HeaderInit {
  readonly guid: string;
  readonly own: number;
  readonly other: number;
  readonly entriesAt: number;
  readonly sectors: number;
  readonly entries: Buffer;
}

function encodeHeader({ guid, own, other, entriesAt, sectors, entries }: HeaderInit): Buffer {
  const header = Buffer.alloc(sectorBytes);
  header.write(signature, 0, 'latin1');
  header.writeUInt32LE(revision, 8);
  header.writeUInt32LE(headerBytes, 12);
  for (const [value, at] of [
    [own, 24],
    [other, 32],
    [firstUsable, 40],
    [lastUsable(sectors), 48],
    [entriesAt, 72],
  ] as const)
    header.writeBigUInt64LE(BigInt(value), at);
  encodeGuid(guid).copy(header, 56);
  header.writeUInt32LE(entryCount, 80);
  header.writeUInt32LE(entryBytes, 84);
  header.writeUInt32LE(crc32(entries), 88);
  header.writeUInt32LE(crc32(header.subarray(0, headerBytes)), 16);
  return header;
}

/** Where the MBR has its only entry. */
const protectiveEntryAt = 446;
const protectiveType = 0xee;
const protectedSectors = (sectors: number) => Math.min(sectors - 1, 0xffff_ffff);

/** Whether the MBR says that the disk has a table of this kind, by an entry of the type for it. */
export const isProtected = (mbr: Buffer): boolean =>
  mbr.readUInt16LE(510) === 0xaa55 &&
  [0, 1, 2, 3].some((index) => mbr.readUInt8(protectiveEntryAt + 16 * index + 4) === protectiveType);

/** One partition over the whole disk, so that old tools do not take the disk for empty. */
function protectiveMbr(sectors: number): Buffer {
  const mbr = Buffer.alloc(sectorBytes);
  // The first sector in the old addressing by cylinders, and the last one that it can express.
  mbr.set([0, 0, 2, 0, protectiveType, 0xff, 0xff, 0xff], protectiveEntryAt);
  mbr.writeUInt32LE(1, protectiveEntryAt + 8);
  mbr.writeUInt32LE(protectedSectors(sectors), protectiveEntryAt + 12);
  mbr.writeUInt16LE(0xaa55, 510);
  return mbr;
}

/**
 * Decodes the table at the beginning of a disk, or undefined when there is none. A table whose checksums are wrong
 * is none, as for the kernel.
 *
 * @param head at least the first `tableHeadBytes` of the disk
 */
export function decodeTable(head: Buffer): PartitionTable | undefined {
  const header = readHeader(head);
  if (header === undefined) return undefined;
  const { guid, entriesAt, count, bytes, checksum } = header;
  const entries = head.subarray(entriesAt * sectorBytes, entriesAt * sectorBytes + count * bytes);
  if (entries.length !== count * bytes || crc32(entries) !== checksum) return undefined;
  const partitions = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    entry: entries.subarray(index * bytes, (index + 1) * bytes),
  }))
    .filter(({ entry }) => entry.subarray(0, 16).some((byte) => byte !== 0))
    .map(({ number, entry }) => decodeEntry(number, entry));
  return { guid, partitions };
}

type TableHeader = NonNullable<ReturnType<typeof readHeader>>;

/** The header after the MBR; undefined when there is none, or when its checksum is wrong. */
export function readHeader(head: Buffer) {
  const header = head.subarray(sectorBytes, 2 * sectorBytes);
  if (header.length < sectorBytes || header.toString('latin1', 0, 8) !== signature) return undefined;
  const size = header.readUInt32LE(12);
  const [entriesAt, count, bytes] = [
    Number(header.readBigUInt64LE(72)),
    header.readUInt32LE(80),
    header.readUInt32LE(84),
  ];
  if (size < headerBytes || size > sectorBytes || bytes < entryBytes || count * bytes > 1 << 20)
    return undefined;
  const unsigned = Buffer.from(header.subarray(0, size));
  unsigned.writeUInt32LE(0, 16);
  if (crc32(unsigned) !== header.readUInt32LE(16)) return undefined;
  const numberAt = (at: number) => Number(header.readBigUInt64LE(at));
  return {
    ...{
      guid: decodeGuid(header.subarray(56, 72)),
      entriesAt,
      count,
      bytes,
      checksum: header.readUInt32LE(88),
    },
    ...{ ownAt: numberAt(24), copyAt: numberAt(32), limits: { first: numberAt(40), last: numberAt(48) } },
  };
}

function decodeEntry(number: number, entry: Buffer): Partition {
  const name = entry.toString('utf16le', 56, 56 + nameBytes);
  const attributes = entry.readBigUInt64LE(48);
  return {
    number,
    type: decodeGuid(entry.subarray(0, 16)),
    guid: decodeGuid(entry.subarray(16, 32)),
    label: name.split('\0')[0] ?? '',
    first: Number(entry.readBigUInt64LE(32)),
    last: Number(entry.readBigUInt64LE(40)),
    ...(attributes === 0n ? {} : { attributes }),
  };
}
