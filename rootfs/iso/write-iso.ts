import { copyFileSync, globSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LockedTools } from '../debian/locked-tools.ts';
import { makeEfiPartition } from '../disk/efi-partition.ts';
import type { MediumLoader } from './medium-loader.ts';

export interface IsoInit {
  /** At most 32 characters: upper case, digits and underscores. */
  readonly volume: string;
  /** Files by path: a content, or the path of a file to copy. */
  readonly files: Readonly<Record<string, Buffer | string>>;
  readonly loader: MediumLoader;
  /** Unix time of every file. */
  readonly epochSeconds: number;
}

/** Room for GRUB. */
const efiBytes = 20 << 20;
const toritoPath = 'boot/grub/torito.img';
const efiPath = 'boot/grub/efi.img';

/**
 * Writes an ISO that a BIOS and UEFI firmware start, from a CD and from a disk to which it was copied. The same arguments give the same bytes.
 *
 * @param work an existing folder for intermediate files
 * @throws Error with the message of the tool
 */
export function writeIso(target: string, tools: LockedTools, work: string, init: IsoInit): void {
  const { volume, files, loader, epochSeconds } = init;
  const tree = join(work, 'iso');
  const put = (path: string, content: Buffer | string) => {
    const place = join(tree, path);
    mkdirSync(dirname(place), { recursive: true });
    if (typeof content === 'string') copyFileSync(content, place);
    else writeFileSync(place, content);
  };
  for (const [path, content] of Object.entries(files)) put(path, content);
  put(toritoPath, loader.torito);
  put(
    efiPath,
    makeEfiPartition(tools, work, {
      ...{ bytes: efiBytes, epochSeconds, entryBits: 16 },
      files: { 'EFI/BOOT/BOOTX64.EFI': loader.efi },
    }),
  );
  // The writer takes all times of a file from this one.
  for (const path of ['', ...globSync('**', { cwd: tree })])
    utimesSync(join(tree, path), epochSeconds, epochSeconds);
  const bootCode = join(work, 'medium-boot-code');
  writeFileSync(bootCode, loader.bootCode);
  // Under its name there is always a whole one.
  const unfinished = `${target}.new`;
  rmSync(unfinished, { force: true });
  tools.run(
    'usr/bin/xorriso',
    [
      ...[
        '-no_rc',
        '-as',
        'mkisofs',
        '-o',
        unfinished,
        '-V',
        volume,
        '-r',
        '-iso-level',
        '3',
        '-partition_offset',
        '16',
      ],
      ...['--grub2-mbr', bootCode, '--protective-msdos-label'],
      ...['-b', toritoPath, '-no-emul-boot', '-boot-load-size', '4', '-boot-info-table', '--grub2-boot-info'],
      ...['-eltorito-alt-boot', '-e', efiPath, '-no-emul-boot', '-efi-boot-part', '--efi-boot-image'],
      tree,
    ],
    { env: { SOURCE_DATE_EPOCH: String(epochSeconds), HOME: work } },
  );
  renameSync(unfinished, target);
}
