import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { rootHashIn } from '@nodewright/boot';
import { encodeTable, partitionTypes } from '@nodewright/disk';
import { makeMachineDisk } from '@nodewright/provision/machine';
import { type PartitionLabel, placedPartitions } from '../../rootfs/disk/disk-image.ts';
import { imageFolder } from './machine.ts';

/** Where the files of the image are on its disk. */
const homes = {
  'nodewright.efi': 'EFI',
  'systemd-boot.efi': 'EFI',
  'rootfs.squashfs': 'BOOT',
  initramfs: 'BOOT',
  vmlinuz: 'BOOT',
} as const;
const sectorBytes = 512;
/** As many bytes identify a place in a file of the image. */
const markerBytes = 96;

/**
 * Makes a copy of the disk image with one changed byte in one of its files.
 *
 * @param distance of the byte from the beginning of the file; at most 95 bytes after it the file is in one piece on the disk
 * @returns the path of the copy
 */
export function changedDisk(folder: string, file: keyof typeof homes, distance: number): string {
  const path = join(folder, `changed-${file}-${distance}.raw`);
  makeMachineDisk(join(imageFolder, 'disk.raw'), path, 0);
  flipByte(path, { home: homes[file], content: readFileSync(join(imageFolder, file)), distance });
  return path;
}

/**
 * Makes a copy of the disk image that is one of another version: its root hash is another one, and its root file system does not match
 * that of this version. Returns the path of the copy.
 */
export function diskOfOtherVersion(folder: string): string {
  const path = changedDisk(folder, 'rootfs.squashfs', 40);
  const hash = Buffer.from(rootHashIn(readFileSync(join(imageFolder, 'cmdline.txt'), 'utf8')));
  changePartition(path, 'BOOT', (bytes) => {
    const places: Place[] = [];
    for (let at = bytes.indexOf(hash); at >= 0; at = bytes.indexOf(hash, at + 1)) {
      bytes.fill('0', at, at + hash.length);
      places.push({ at, length: hash.length });
    }
    assert.ok(places.length > 0, 'BOOT has its root hash');
    return places;
  });
  return path;
}

/** Makes a disk with the partitions of another system, whose labels are those of ours. Their contents are zeros. Returns its path. */
export function diskOfOtherSystem(folder: string): string {
  const path = join(folder, 'other-system.raw');
  const perMib = (1 << 20) / sectorBytes;
  let next = perMib;
  // Source: Talos v1.14: partitions.
  const sizesMib = { EFI: 100, BIOS: 1, BOOT: 1000, META: 1, STATE: 100, EPHEMERAL: 2100 };
  const partitions = Object.entries(sizesMib).map(([label, mib], index) => {
    const first = next;
    next += mib * perMib;
    const guid = `11111111-2222-4333-8444-55555555555${index}`;
    return { number: index + 1, type: partitionTypes.linux, label, guid, first, last: next - 1 };
  });
  const sectors = next + perMib;
  const table = encodeTable({ guid: '11111111-2222-4333-8444-555555555555', partitions }, sectors);
  const disk = openSync(path, 'w');
  try {
    ftruncateSync(disk, sectors * sectorBytes);
    writeSync(disk, table.head, 0, table.head.length, 0);
    writeSync(disk, table.tail, 0, table.tail.length, sectors * sectorBytes - table.tail.length);
  } finally {
    closeSync(disk);
  }
  return path;
}

export interface ChangedFile {
  /** Label of the partition that has the file. */
  readonly home: PartitionLabel;
  readonly content: Buffer;
  /** As for `changedDisk`. */
  readonly distance: number;
}

/** Changes one byte of a file on a disk, which must have the file once. */
export function flipByte(path: string, { home, content, distance }: ChangedFile): void {
  const marker = content.subarray(distance, distance + markerBytes);
  changePartition(path, home, (bytes) => {
    const at = bytes.indexOf(marker);
    assert.ok(at >= 0, `the file is not in the partition ${home}`);
    assert.equal(bytes.indexOf(marker, at + 1), -1, `the file is twice in the partition ${home}`);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
    return [{ at, length: 1 }];
  });
}

/** Bytes of a partition that were changed. */
interface Place {
  readonly at: number;
  readonly length: number;
}

/** Writes only what was changed, so that holes of the file stay. */
function changePartition(
  path: string,
  label: PartitionLabel,
  change: (bytes: Buffer) => readonly Place[],
): void {
  const home = placedPartitions().find((partition) => partition.label === label);
  assert.ok(home !== undefined);
  const disk = openSync(path, 'r+');
  try {
    const bytes = Buffer.alloc((home.last - home.first + 1) * sectorBytes);
    readSync(disk, bytes, 0, bytes.length, home.first * sectorBytes);
    for (const { at, length } of change(bytes))
      writeSync(disk, bytes, at, length, home.first * sectorBytes + at);
  } finally {
    closeSync(disk);
  }
}
