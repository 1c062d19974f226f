// The copy of a partition table at the end of a disk. Source: UEFI specification 2.10, chapter 5.
import { crc32 } from 'node:zlib';
import { type DiskWrite, isProtected, readHeader, sectorBytes } from './partition-table.ts';

const entriesAt = 2;
const entriesBytes = 128 * 128;

/** Bytes at the end of a disk that `tableRestoration()` needs. */
export const tableTailBytes = entriesBytes + sectorBytes;

/**
 * The writes that put the copy of a table back in the place of the table, which is not whole. Each must be on the disk before the next one
 * begins; the copy stays. Undefined when the copy is not whole, either, has other than 128 entries of 128 bytes, or when the MBR does not
 * say that the disk has such a table: then the copy is what an earlier use of the disk has left.
 *
 * @param mbr the first sector of the disk
 * @param tail the last `tableTailBytes` of the disk
 * @param sectors of the disk, with 512 bytes each
 */
export function tableRestoration(mbr: Buffer, tail: Buffer, sectors: number): DiskWrite[] | undefined {
  if (tail.length !== tableTailBytes || !isProtected(mbr)) return undefined;
  const last = sectors - 1;
  const own = tail.subarray(entriesBytes);
  const copy = readHeader(Buffer.concat([Buffer.alloc(sectorBytes), own]));
  if (copy === undefined || copy.count * copy.bytes !== entriesBytes) return undefined;
  const entries = tail.subarray(0, entriesBytes);
  const isOfDisk = copy.ownAt === last && copy.entriesAt === last - entriesBytes / sectorBytes;
  if (!isOfDisk || crc32(entries) !== copy.checksum) return undefined;
  if (copy.limits.first < entriesAt + entriesBytes / sectorBytes) return undefined;
  const header = Buffer.from(own);
  for (const [value, at] of [
    [1, 24],
    [last, 32],
    [entriesAt, 72],
  ] as const)
    header.writeBigUInt64LE(BigInt(value), at);
  header.writeUInt32LE(0, 16);
  header.writeUInt32LE(crc32(header.subarray(0, header.readUInt32LE(12))), 16);
  return [
    { at: entriesAt * sectorBytes, bytes: Buffer.from(entries) },
    { at: sectorBytes, bytes: header },
  ];
}
