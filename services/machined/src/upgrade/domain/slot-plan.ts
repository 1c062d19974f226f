import { entryName, type Slot, slotFiles, unifiedKernelFolder } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import type { ArtefactFile } from '@nodewright/installer';

/** A partition that a machine starts from. */
export type StartPartition = 'BOOT' | 'EFI';

/** A file of an artefact with its place on a disk. */
export interface PlacedFile extends ArtefactFile {
  readonly partition: StartPartition;
  /** Below the root of the partition. */
  readonly place: string;
  /** Default: 0600. */
  readonly mode?: number;
}

/** The path of the unified kernel of a slot on the partition EFI. */
export const unifiedKernelOf = (slot: Slot): string => `${unifiedKernelFolder}/${entryName(slot)}`;

/** The name of a file until all of its bytes were compared. */
export const temporaryName = (place: string): string => `${place}.new`;

/** Where each file of a machine goes when its system is written into the slot, by path in the artefact. */
function placesOf(slot: Slot): ReadonlyMap<string, Pick<PlacedFile, 'partition' | 'place'>> {
  const onBoot = (name: string) => ({ partition: 'BOOT', place: `${slot}/${name}` }) as const;
  return new Map<string, Pick<PlacedFile, 'partition' | 'place'>>([
    ['machine/vmlinuz', onBoot(slotFiles.kernel)],
    ['machine/initramfs', onBoot(slotFiles.initramfs)],
    ['machine/rootfs.squashfs', onBoot(slotFiles.squashfs)],
    ['machine/rootfs.verity', onBoot(slotFiles.hashTree)],
    [`machine/${slot}/cmdline`, onBoot(slotFiles.commandLine)],
    [`machine/${slot}/entry.cfg`, onBoot(slotFiles.entry)],
    [`machine/${slot}/nodewright.efi`, { partition: 'EFI', place: unifiedKernelOf(slot) }],
  ]);
}

/** The files of an artefact that make up the system of a slot, with their places. The artefact may have others. */
export function placedFiles(slot: Slot, files: readonly ArtefactFile[]): readonly PlacedFile[] {
  const places = placesOf(slot);
  return files.flatMap((file) => {
    const place = places.get(file.path);
    return place === undefined ? [] : [{ ...file, ...place }];
  });
}

/** What a partition must have free besides the files: for folders, small files, and changes of what the file system records. */
const spareBytes = 1 << 20;
const blockBytes = 4096;

export interface PartitionSpace {
  readonly partition: StartPartition;
  /** What it is called. Default: the partition with its name. */
  readonly place?: string | undefined;
  /** Free now. */
  readonly freeBytes: number;
  /** What the system in the slot has now, which is removed before. */
  readonly replacedBytes: number;
  /** Sizes of what is written. */
  readonly sizes: readonly number[];
}

/** The bytes that a partition lacks; not positive when everything fits. */
export function lackingBytes({ freeBytes, replacedBytes, sizes }: PartitionSpace): number {
  return neededBytes(sizes) - freeBytes - replacedBytes;
}

const neededBytes = (sizes: readonly number[]) =>
  sizes.reduce((sum, bytes) => sum + Math.ceil(bytes / blockBytes) * blockBytes, spareBytes);

/**
 * Checks that a system fits before its first byte is written.
 *
 * @throws Fault `failed-precondition` with the figures
 */
export function checkSpace(space: PartitionSpace): void {
  if (lackingBytes(space) <= 0) return;
  const { partition, place = `the partition ${partition}`, freeBytes, replacedBytes, sizes } = space;
  throw new Fault(
    'failed-precondition',
    `${place} has no room: the new system needs ${showMib(neededBytes(sizes))}, and the slot has ${showMib(freeBytes + replacedBytes)}`,
  );
}

const showMib = (bytes: number) => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
