import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { encodeTable, type Partition, partitionTypes, sectorBytes } from '@nodewright/disk';
import type { GrubImage } from './grub-image.ts';

const mib = 1 << 20;
const blockBytes = 1 << 16;
const chunkBytes = 1 << 22;
const zeros = Buffer.alloc(blockBytes);
const sectorsPerMib = mib / sectorBytes;
/** Marks the partition that a BIOS boots. */
const legacyBootable = 1n << 2n;

/**
 * Partitions of a disk image in their order, with their usual sizes in MiB. EFI has room for the unified kernels of two slots and of a third
 * one that is written, BOOT for the roots of two slots with two sets of extensions each. Disks of earlier versions have 100 and 400 MiB.
 * Source: Talos v1.14: partitions.
 */
export const layout = [
  { label: 'EFI', type: partitionTypes.efiSystem, mib: 512 },
  { label: 'BIOS', type: partitionTypes.biosBoot, mib: 1, attributes: legacyBootable },
  { label: 'BOOT', type: partitionTypes.linux, mib: 1024 },
  { label: 'META', type: partitionTypes.linux, mib: 1 },
  { label: 'IMAGECACHE', type: partitionTypes.linux, mib: 64 },
] as const;

export type PartitionLabel = (typeof layout)[number]['label'];
export type PlacedPartition = Partition & { readonly label: PartitionLabel };

/** Sizes of partitions that differ from the usual ones, in MiB. */
export type PartitionSizes = Readonly<Partial<Record<PartitionLabel, number>>>;

/** The partitions with their places; the first one begins at 1 MiB. GUIDs are derived from the labels. */
export function placedPartitions(sizes: PartitionSizes = {}): PlacedPartition[] {
  let next = sectorsPerMib;
  return layout.map((row, index) => {
    const first = next;
    next += (sizes[row.label] ?? row.mib) * sectorsPerMib;
    const attributes = 'attributes' in row ? { attributes: row.attributes } : {};
    return {
      number: index + 1,
      type: row.type,
      label: row.label,
      guid: guidOf(row.label),
      first,
      last: next - 1,
      ...attributes,
    };
  });
}

/** A GUID that depends only on the name, in the form of version 4. */
function guidOf(name: string): string {
  const bytes = createHash('sha256').update(`nodewright ${name}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

export interface DiskContents {
  /** By default those of `placedPartitions()`. */
  readonly placed?: readonly PlacedPartition[];
  /** Undefined for machines that have no BIOS. */
  readonly grub?: GrubImage;
  /** Files with the contents of partitions. */
  readonly partitions: Readonly<Partial<Record<PartitionLabel, string>>>;
}

/**
 * Writes a raw disk image. What no partition fills stays a hole in the file. The machine adds STATE and EPHEMERAL when it
 * boots for the first time.
 *
 * @throws Error when the content of a partition is larger than the partition
 */
export function writeDiskImage(
  target: string,
  { grub, partitions, placed = placedPartitions() }: DiskContents,
): void {
  const last = placed.at(-1)?.last ?? 0;
  const sectors = last + 1 + sectorsPerMib;
  const table = encodeTable({ guid: guidOf('disk'), partitions: placed }, sectors);
  const file = openSync(target, 'w+', 0o644);
  try {
    const write = (bytes: Buffer, at: number) => void writeSync(file, bytes, 0, bytes.length, at);
    ftruncateSync(file, sectors * sectorBytes);
    write(table.head, 0);
    if (grub !== undefined) write(grub.bootCode, 0);
    write(table.tail, sectors * sectorBytes - table.tail.length);
    const placeOf = (label: string) => {
      const { first, last } = placed.find((partition) => partition.label === label) as Partition;
      return { label, at: first * sectorBytes, room: (last - first + 1) * sectorBytes };
    };
    if (grub !== undefined) {
      const { label, at, room } = placeOf('BIOS');
      requireRoom(label, room, grub.core.length);
      write(grub.core, at);
    }
    for (const [label, path] of Object.entries(partitions)) placeContent(file, path, placeOf(label));
  } finally {
    closeSync(file);
  }
}

export interface PartitionPlace {
  readonly label: string;
  /** In bytes, from the beginning of the disk. */
  readonly at: number;
  readonly room: number;
}

/**
 * Writes a file into a partition of an open disk, which is read as well: blocks of zeros are left out where the disk has zeros, so what is a
 * hole stays one.
 *
 * @throws Error when the file is larger than the partition
 */
export function placeContent(disk: number, path: string, { label, at, room }: PartitionPlace): void {
  const source = openSync(path, 'r');
  try {
    const chunk = Buffer.alloc(chunkBytes);
    const found = Buffer.alloc(blockBytes);
    for (let from = 0; ; from += chunkBytes) {
      const got = readSync(source, chunk, 0, chunkBytes, from);
      if (got === 0) return;
      requireRoom(label, room, from + got);
      for (let offset = 0; offset < got; offset += blockBytes) {
        const block = chunk.subarray(offset, Math.min(offset + blockBytes, got));
        const place = at + from + offset;
        const isZero = (bytes: Buffer) => bytes.equals(zeros.subarray(0, bytes.length));
        const isHole = () => isZero(found.subarray(0, readSync(disk, found, 0, block.length, place)));
        if (!isZero(block) || !isHole()) writeSync(disk, block, 0, block.length, place);
      }
    }
  } finally {
    closeSync(source);
  }
}

function requireRoom(label: string, room: number, bytes: number): void {
  if (bytes > room) throw new Error(`partition ${label} has ${room} bytes, its content more: ${bytes}`);
}
