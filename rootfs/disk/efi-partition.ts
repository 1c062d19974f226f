import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LockedTools } from '../debian/locked-tools.ts';

export interface EfiPartitionInit {
  readonly bytes: number;
  /** The files, by path. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Width of the entries of its table; default 32. A small file system has fewer clusters than 32 bits are for. */
  readonly entryBits?: 16 | 32;
  /** Unix time of every file. */
  readonly epochSeconds: number;
}

/** Any fixed number: the tool would draw one by lot. */
const volumeId = '4e574546';

/**
 * Makes the file system of the partition EFI and returns the path of its image. It is FAT, the only one that all UEFI firmware reads.
 *
 * @param work an existing folder for intermediate files
 * @throws Error with the tool's message, for example when the files do not fit
 */
export function makeEfiPartition(
  tools: LockedTools,
  work: string,
  { bytes, files, epochSeconds, entryBits = 32 }: EfiPartitionInit,
): string {
  const image = join(work, 'efi.fat');
  rmSync(image, { force: true });
  const env = { SOURCE_DATE_EPOCH: String(epochSeconds), MTOOLSRC: '/dev/null' };
  const identity = ['-F', String(entryBits), '-n', 'EFI', '-i', volumeId, '--invariant'];
  tools.run('usr/sbin/mkfs.fat', [...identity, '-C', image, String(bytes / 1024)], { env });
  const paths = Object.keys(files).sort();
  for (const folder of new Set(paths.flatMap(parentsOf)))
    tools.run('usr/bin/mtools', ['-c', 'mmd', '-i', image, `::/${folder}`], { env });
  for (const [index, path] of paths.entries()) {
    const source = join(work, `efi-${index}`);
    writeFileSync(source, files[path] as Buffer);
    tools.run('usr/bin/mtools', ['-c', 'mcopy', '-i', image, source, `::/${path}`], { env });
  }
  return image;
}

/** The folders above a path, the highest first. */
function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [...parentsOf(parent), parent];
}
