// GRUB on a disk with a GPT, for machines whose firmware is a BIOS. Source: GRUB 2.12, grub-setup of i386-pc.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootCodeFor, coreFor } from '@nodewright/boot';
import type { LockedTools } from '../debian/locked-tools.ts';

const folder = 'usr/lib/grub/i386-pc';
const modules = [
  ...['biosdisk', 'part_gpt', 'ext2', 'normal', 'configfile', 'linux', 'serial', 'terminal', 'loadenv'],
  ...['search', 'search_label', 'test', 'echo', 'reboot', 'sleep', 'hashsum', 'gcry_sha256'],
];

export interface GrubImage {
  /** For the beginning of sector 0. */
  readonly bootCode: Buffer;
  /** For the partition BIOS, from its first sector. */
  readonly core: Buffer;
}

/**
 * Makes GRUB for a disk whose partition BIOS begins at sector `coreSector`. It reads `/grub/grub.cfg` from the file
 * system with the label BOOT: that of its own disk, if there is one.
 *
 * @param without a module that is left out: disks of earlier versions lack `loadenv`
 */
export function makeGrub(tools: LockedTools, work: string, coreSector: number, without?: string): GrubImage {
  const core = join(work, 'core.img');
  tools.run('usr/bin/grub-mkimage', [
    ...['-O', 'i386-pc', '-d', tools.path(folder), '-p', '/grub', '-o', core],
    ...['-c', writeSearch(work)],
    ...modules.filter((name) => name !== without),
  ]);
  return {
    bootCode: bootCodeFor(readFileSync(tools.path(`${folder}/boot.img`)), coreSector),
    core: coreFor(readFileSync(core), coreSector),
  };
}

/**
 * The commands that the core image runs first. `root` is the disk that the BIOS has started, without a partition; the comma has GRUB look at its
 * partitions before those of other disks, which may have a BOOT as well.
 */
function writeSearch(work: string): string {
  const path = join(work, 'search.cfg');
  writeFileSync(
    path,
    'search --no-floppy --label BOOT --hint "$root," --set root\nset prefix=($root)/grub\n',
  );
  return path;
}
