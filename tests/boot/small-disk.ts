// A disk with GRUB and a small BOOT, whose systems are entries that say their slot and restart: what a BIOS and GRUB make of the choice.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { genericMenu, grubFiles, type Slot, slotFiles } from '@nodewright/boot';
import { sectorBytes } from '@nodewright/disk';
import type { LockedTools } from '../../rootfs/debian/locked-tools.ts';
import { type PlacedPartition, placedPartitions, writeDiskImage } from '../../rootfs/disk/disk-image.ts';
import { makeExtPartition } from '../../rootfs/disk/ext-partition.ts';
import { type GrubImage, makeGrub } from '../../rootfs/disk/grub-image.ts';

export const smallPartitions = (): PlacedPartition[] => placedPartitions({ EFI: 1, BOOT: 16, IMAGECACHE: 1 });

export const smallPlace = (label: string): PlacedPartition => {
  const found = smallPartitions().find((one) => one.label === label);
  if (found === undefined) throw new Error(`the layout has no ${label}`);
  return found;
};

export type Files = Readonly<Record<string, Buffer | string>>;

/** A slot that is complete. The text of its entry is what GRUB runs; by default it says the slot and restarts. */
export const fakeSlot = (slot: Slot, entry = fakeEntry(slot)): Files => ({
  [`${slot}/${slotFiles.digests}`]: '',
  [`${slot}/${slotFiles.entry}`]: entry,
});

export const fakeEntry = (slot: Slot): string =>
  `menuentry '${slot}' --id ${slot} {\n  echo 'starts slot ${slot}'\n  sleep 1\n  reboot\n}\nset complete=${slot}\n`;

/**
 * @param folder that does not exist
 * @param files on BOOT besides the generic menu
 * @param grub default: that of this version
 */
export function smallDisk(folder: string, tools: LockedTools, files: Files, grub?: GrubImage): string {
  mkdirSync(folder);
  const { first, last, guid } = smallPlace('BOOT');
  const content = { [grubFiles.menu]: genericMenu(), ...files };
  const boot = makeExtPartition(tools, folder, {
    ...{ label: 'BOOT', isWritten: true, uuid: guid, epochSeconds: 1_700_000_000 },
    bytes: (last - first + 1) * sectorBytes,
    files: Object.fromEntries(Object.entries(content).map(([path, bytes]) => [path, Buffer.from(bytes)])),
  });
  const path = join(folder, 'disk.raw');
  writeDiskImage(path, {
    grub: grub ?? makeGrub(tools, folder, smallPlace('BIOS').first),
    partitions: { BOOT: boot },
    placed: smallPartitions(),
  });
  return path;
}
