import assert from 'node:assert/strict';
import { closeSync, copyFileSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type PartitionLabel, placedPartitions } from '../../rootfs/disk/disk-image.ts';
import { imageFolder } from './machine.ts';

/** Where the files of the image are on its disk. */
const homes = {
  'nodewright.efi': 'EFI',
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
  copyFileSync(join(imageFolder, 'disk.raw'), path);
  flipByte(path, { home: homes[file], content: readFileSync(join(imageFolder, file)), distance });
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
export function flipByte(path: string, { home: label, content, distance }: ChangedFile): void {
  const marker = content.subarray(distance, distance + markerBytes);
  const home = placedPartitions().find((partition) => partition.label === label);
  assert.ok(home !== undefined);
  const disk = openSync(path, 'r+');
  try {
    const bytes = Buffer.alloc((home.last - home.first + 1) * sectorBytes);
    readSync(disk, bytes, 0, bytes.length, home.first * sectorBytes);
    const at = bytes.indexOf(marker);
    assert.ok(at >= 0, `the file is not in the partition ${label}`);
    assert.equal(bytes.indexOf(marker, at + 1), -1, `the file is twice in the partition ${label}`);
    writeSync(disk, Buffer.from([bytes.readUInt8(at) ^ 0xff]), 0, 1, home.first * sectorBytes + at);
  } finally {
    closeSync(disk);
  }
}
