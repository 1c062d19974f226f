// GRUB on a medium: as a program of UEFI firmware, and for a BIOS, which reads CDs as El Torito describes and disks by their first sector.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LockedTools } from '../debian/locked-tools.ts';
import { mediumMark } from './medium-menu.ts';

const modules = [
  ...['part_gpt', 'part_msdos', 'iso9660', 'ext2', 'normal', 'configfile', 'serial', 'terminal', 'chain'],
  ...['search', 'search_fs_file', 'test', 'echo', 'reboot', 'sleep'],
];
const biosModules = ['biosdisk', 'linux'];
const efiModules = ['fat'];
const biosFolder = 'usr/lib/grub/i386-pc';
const efiFolder = 'usr/lib/grub/x86_64-efi';

export interface MediumLoader {
  /** For the BIOS of a machine with the medium as a CD. */
  readonly torito: Buffer;
  /** For the first sector, when the medium is a disk. The writer of the ISO adds where the other one is. */
  readonly bootCode: Buffer;
  /** A program without a signature. */
  readonly efi: Buffer;
}

/** @param work an existing folder for intermediate files */
export function makeMediumLoader(tools: LockedTools, work: string): MediumLoader {
  const early = join(work, 'medium-search.cfg');
  writeFileSync(early, `search --no-floppy --file ${mediumMark} --set root\nset prefix=($root)/boot/grub\n`);
  const make = (format: string, folder: string, own: readonly string[]) => {
    const target = join(work, `medium-${format}`);
    tools.run('usr/bin/grub-mkimage', [
      ...['-O', format, '-d', tools.path(folder), '-p', '/boot/grub', '-c', early, '-o', target],
      ...modules,
      ...own,
    ]);
    return readFileSync(target);
  };
  return {
    torito: make('i386-pc-eltorito', biosFolder, biosModules),
    bootCode: readFileSync(tools.path(`${biosFolder}/boot_hybrid.img`)),
    efi: make('x86_64-efi', efiFolder, efiModules),
  };
}
