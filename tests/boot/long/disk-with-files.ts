import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { sectorBytes } from '@nodewright/disk';
import { makeMachineDisk } from '@nodewright/provision/machine';
import type { LockedTools } from '../../../rootfs/debian/locked-tools.ts';
import { placeContent, placedPartitions } from '../../../rootfs/disk/disk-image.ts';
import { makeExtPartition } from '../../../rootfs/disk/ext-partition.ts';
import { rootOfImage } from '../image-with-extensions.ts';
import { imageFolder } from '../machine.ts';

/**
 * Copies the disk image, with more files on BOOT.
 *
 * @param folder that does not exist
 * @param files contents by path below BOOT
 * @returns the path of the copy
 */
export function diskWithFiles(
  folder: string,
  tools: LockedTools,
  files: Readonly<Record<string, Buffer>>,
): string {
  mkdirSync(folder);
  const boot = placedPartitions().find(({ label }) => label === 'BOOT');
  if (boot === undefined) throw new Error('the layout has no BOOT');
  const room = (boot.last - boot.first + 1) * sectorBytes;
  const partition = makeExtPartition(tools, folder, {
    label: 'BOOT',
    isWritten: true,
    bytes: room,
    epochSeconds: 1_700_000_000,
    uuid: boot.guid,
    files: { ...rootOfImage(), ...files },
  });
  const path = join(folder, 'disk.raw');
  makeMachineDisk(join(imageFolder, 'disk.raw'), path, 0);
  const disk = openSync(path, 'r+');
  try {
    placeContent(disk, partition, { label: 'BOOT', at: boot.first * sectorBytes, room });
  } finally {
    closeSync(disk);
  }
  return path;
}
