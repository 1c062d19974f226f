// A partition table for a disk that has none. Only a blank disk gets one.
import { type DiskWrite, encodeTable, sectorBytes } from './partition-table.ts';

/** Bytes at the beginning and at the end of a disk in which file systems, volume managers and tables leave their marks. */
export const blankBytes = 1 << 20;

/** Of the empty table: its entries are zeros, as a blank disk has them. */
const anyGuid = '00000000-0000-4000-8000-000000000000';

/**
 * The writes that give a blank disk an empty table. Each is one sector, and must be on the disk before the next one begins. A disk of which
 * only the first was written is still blank, and after the second one it has the table: `tableChange()` writes the copy again.
 */
export function tableCreation(guid: string, sectors: number): DiskWrite[] {
  const { head, tail } = encodeTable({ guid, partitions: [] }, sectors);
  return [
    { at: 0, bytes: head.subarray(0, sectorBytes) },
    { at: sectorBytes, bytes: head.subarray(sectorBytes, 2 * sectorBytes) },
    { at: (sectors - 1) * sectorBytes, bytes: tail.subarray(tail.length - sectorBytes) },
  ];
}

/**
 * Whether a disk without a table holds nothing: its first and last MiB are zeros, or a creation of a table was interrupted.
 *
 * @param first the first `blankBytes` of the disk
 * @param last its last `blankBytes`
 */
export function isBlankDisk(first: Buffer, last: Buffer, sectors: number): boolean {
  if (first.length < blankBytes || last.length < blankBytes) return false;
  const [begun] = tableCreation(anyGuid, sectors);
  const mbr = first.subarray(0, sectorBytes);
  const hasOnlyBegun = begun !== undefined && mbr.equals(begun.bytes);
  return isZeros(hasOnlyBegun ? first.subarray(sectorBytes) : first) && isZeros(last);
}

const isZeros = (bytes: Buffer) => bytes.equals(Buffer.alloc(bytes.length));
