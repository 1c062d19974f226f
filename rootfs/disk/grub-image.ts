// GRUB on a disk with a GPT, for machines whose firmware is a BIOS. Source: GRUB 2.12, grub-setup of i386-pc.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sectorBytes } from '@nodewright/disk';
import type { LockedTools } from '../debian/locked-tools.ts';

const folder = 'usr/lib/grub/i386-pc';
const modules = [
  ...['biosdisk', 'part_gpt', 'ext2', 'normal', 'configfile', 'linux', 'serial', 'terminal'],
  ...['search', 'search_label', 'test', 'echo', 'reboot', 'sleep', 'hashsum', 'gcry_sha256'],
];

/** The boot code of the first sector ends before the partition table. */
const bootCodeBytes = 440;
/** Where the boot code finds the sector of the core image, and the bytes that make it trust the BIOS's drive number. */
const coreSectorAt = 0x5c;
const driveCheckAt = 0x66;
/** The list of sectors that the first sector of the core image loads: its only entry ends with that sector. */
const blockListAt = sectorBytes - 12;
const loadSegment = 0x820;

export interface GrubImage {
  /** For the beginning of sector 0. */
  readonly bootCode: Buffer;
  /** For the partition BIOS, from its first sector. */
  readonly core: Buffer;
}

/**
 * Makes GRUB for a disk whose partition BIOS begins at sector `coreSector`. It reads `/grub/grub.cfg` from the file
 * system with the label BOOT.
 */
export function makeGrub(tools: LockedTools, work: string, coreSector: number): GrubImage {
  const core = join(work, 'core.img');
  tools.run('usr/bin/grub-mkimage', [
    ...['-O', 'i386-pc', '-d', tools.path(folder), '-p', '/grub', '-o', core],
    ...['-c', writeSearch(work)],
    ...modules,
  ]);
  return {
    bootCode: patchBootCode(readFileSync(tools.path(`${folder}/boot.img`)), coreSector),
    core: patchCore(readFileSync(core), coreSector),
  };
}

/** The commands that the core image runs first. */
function writeSearch(work: string): string {
  const path = join(work, 'search.cfg');
  writeFileSync(path, 'search --no-floppy --label BOOT --set root\nset prefix=($root)/grub\n');
  return path;
}

function patchBootCode(image: Buffer, coreSector: number): Buffer {
  const code = Buffer.from(image.subarray(0, bootCodeBytes));
  code.writeBigUInt64LE(BigInt(coreSector), coreSectorAt);
  // Two instructions that do nothing, in place of the jump that skips the repair of a wrong drive number.
  code.writeUInt16LE(0x9090, driveCheckAt);
  return code;
}

/** Tells the first sector of the core image where its other sectors are: right behind it. */
function patchCore(image: Buffer, coreSector: number): Buffer {
  const sectors = Math.ceil(image.length / sectorBytes);
  const core = Buffer.concat([image, Buffer.alloc(sectors * sectorBytes - image.length)]);
  core.writeBigUInt64LE(BigInt(coreSector + 1), blockListAt);
  core.writeUInt16LE(sectors - 1, blockListAt + 8);
  core.writeUInt16LE(loadSegment, blockListAt + 10);
  return core;
}
