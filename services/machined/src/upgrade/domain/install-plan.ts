// The steps that make a blank disk one that a machine starts from. Nothing on the disk starts anything between the first step and the last
// one: without the first sector no firmware and no kernel finds the partitions, and that sector is written last.
import { type VolumeId, volumeIds, volumeRow } from '@nodewright/contract/volumes';
import {
  encodeTable,
  type Partition,
  partitionTypes,
  placedSystemPartitions,
  type SystemPartitionLabel,
  sectorBytes,
} from '@nodewright/disk';

const mib = 1 << 20;
const sectorsPerMib = mib / sectorBytes;

/** The partitions of a new system. STATE keeps the configuration with which it was installed. */
export type InstalledLabel = SystemPartitionLabel | typeof volumeIds.state;
export type InstalledPartition = Partition & { readonly label: InstalledLabel };

/** How each partition begins: with an empty file system, or with zeros. */
const beginnings = {
  EFI: 'vfat',
  BIOS: 'zeros',
  BOOT: 'ext4',
  META: 'zeros',
  IMAGECACHE: 'ext4',
  STATE: 'xfs',
} as const satisfies Record<InstalledLabel, string>;
export type FileSystemKind = 'vfat' | 'ext4' | 'xfs';

export interface InstallTarget {
  /** `/dev/vda` */
  readonly disk: string;
  /** Of 512 bytes. */
  readonly sectors: number;
  /** GUID of the new table. */
  readonly guid: string;
  readonly partitions: readonly InstalledPartition[];
  /** Marks the entry of the protective MBR, for a BIOS that starts no disk without such a mark. */
  readonly marksMbr: boolean;
}

export interface TargetInit extends Pick<InstallTarget, 'disk' | 'sectors' | 'marksMbr'> {
  /** Returns another GUID with each call. */
  readonly newGuid: () => string;
  /** Of the images that the system starts with. */
  readonly imageBytes: number;
}

/** Room in IMAGECACHE for the images of two versions, and for what the file system keeps for itself. */
const imageCacheMib = (imageBytes: number) => Math.max(64, Math.ceil((2.2 * imageBytes) / mib) + 16);

const smallestOf = (id: VolumeId) => volumeRow(id).partition?.minBytes ?? 0;

/** Where everything goes on the disk. */
export function installTarget({ disk, sectors, marksMbr, newGuid, imageBytes }: TargetInit): InstallTarget {
  const guid = newGuid();
  const system = placedSystemPartitions(() => newGuid(), { IMAGECACHE: imageCacheMib(imageBytes) });
  const first = (system.at(-1)?.last ?? 0) + 1;
  const state: InstalledPartition = {
    ...{ number: system.length + 1, type: partitionTypes.linux, label: volumeIds.state, guid: newGuid() },
    ...{ first, last: first + smallestOf(volumeIds.state) / sectorBytes - 1 },
  };
  return { disk, sectors, guid, marksMbr, partitions: [...system, state] };
}

/** The size of the smallest disk for a system with these images: its partitions, EPHEMERAL, and both tables. */
export function smallestDiskBytes(imageBytes: number): number {
  const init = { disk: '', sectors: 0, marksMbr: false, newGuid: () => '' };
  const last = installTarget({ ...init, imageBytes }).partitions.at(-1)?.last ?? 0;
  return (last + 1) * sectorBytes + smallestOf(volumeIds.ephemeral) + mib;
}

export type InstallStep =
  /** Zeros in the first sector: from now on the disk starts nothing. */
  | { readonly kind: 'disable disk' }
  /** The kernel knows no partition of the disk any more. */
  | { readonly kind: 'forget partitions' }
  /** Zeros at both ends, where tables are, and wherever a new partition begins and ends. */
  | { readonly kind: 'clear'; readonly ranges: readonly ByteRange[] }
  /** The kernel knows the partitions, which are in no table yet, until the installation ends. */
  | { readonly kind: 'introduce'; readonly partitions: readonly InstalledPartition[] }
  | { readonly kind: 'format'; readonly partition: InstalledPartition; readonly fileSystem: FileSystemKind }
  /** Writes the files of the system, compared with what was signed, and the images. */
  | { readonly kind: 'fill' }
  /** Writes GRUB's core image. */
  | { readonly kind: 'write core'; readonly at: InstalledPartition }
  /** The values that the machine has in memory. */
  | { readonly kind: 'write values'; readonly at: InstalledPartition }
  /** The configuration and the identity of the node. */
  | { readonly kind: 'write state' }
  /** Makes the files a boot entry of their file systems. */
  | { readonly kind: 'complete slot' }
  /** Each is on the disk before the next one is written. */
  | { readonly kind: 'write table'; readonly writes: readonly InstallWrite[] }
  /** One sector: the disk starts the new system. */
  | { readonly kind: 'enable disk'; readonly firstSector: Buffer };

export interface ByteRange {
  readonly at: number;
  readonly bytes: number;
}

export interface InstallWrite {
  readonly at: number;
  readonly bytes: Buffer;
}

/** What is cleared at the beginning and at the end of the disk and of each partition. */
const clearedBytes = mib;

/** The steps of an installation. Whatever step fails, they can all be done again. */
export function planInstall(target: InstallTarget): InstallStep[] {
  const { sectors, partitions } = target;
  const { head, tail } = encodeTable({ guid: target.guid, partitions }, sectors);
  const end = sectors * sectorBytes;
  const partitionOf = (label: InstalledLabel) =>
    partitions.find((one) => one.label === label) as InstalledPartition;
  return [
    { kind: 'disable disk' },
    { kind: 'forget partitions' },
    { kind: 'clear', ranges: clearedRanges(target) },
    { kind: 'introduce', partitions },
    ...partitions.flatMap((partition) => {
      const fileSystem = beginnings[partition.label];
      return fileSystem === 'zeros' ? [] : [{ kind: 'format', partition, fileSystem } as const];
    }),
    { kind: 'fill' },
    { kind: 'write core', at: partitionOf('BIOS') },
    { kind: 'write values', at: partitionOf(volumeIds.meta) },
    { kind: 'write state' },
    { kind: 'complete slot' },
    {
      kind: 'write table',
      writes: [
        { at: end - tail.length, bytes: tail },
        { at: 2 * sectorBytes, bytes: head.subarray(2 * sectorBytes) },
        { at: sectorBytes, bytes: head.subarray(sectorBytes, 2 * sectorBytes) },
      ],
    },
    { kind: 'enable disk', firstSector: firstSector(head, target) },
  ];
}

/** The MBR of the table. The boot code is added when it is known. */
function firstSector(head: Buffer, { marksMbr }: InstallTarget): Buffer {
  const sector = Buffer.from(head.subarray(0, sectorBytes));
  if (marksMbr) sector.writeUInt8(activeMark, firstEntryAt);
  return sector;
}

const firstEntryAt = 446;
const activeMark = 0x80;

/** Neighbours share a range. What an earlier system left elsewhere is part of no file system any more. */
function clearedRanges({ sectors, partitions }: InstallTarget): ByteRange[] {
  const end = sectors * sectorBytes;
  const edges = partitions.flatMap(({ first, last }) => {
    const [from, to] = [first * sectorBytes, (last + 1) * sectorBytes];
    const bytes = Math.min(clearedBytes, to - from);
    return [
      { at: from, bytes },
      { at: to - bytes, bytes },
    ];
  });
  const whole = [{ at: 0, bytes: clearedBytes }, ...edges, { at: end - clearedBytes, bytes: clearedBytes }];
  // EPHEMERAL begins behind the last partition: its old file system must not be taken for a new one.
  const behind = ((partitions.at(-1)?.last ?? 0) + 1) * sectorBytes;
  whole.push({ at: behind, bytes: Math.min(clearedBytes, end - behind) });
  const seen = new Set<number>();
  return [
    // Both headers first: then what an interrupted clearing leaves is no table.
    { at: end - sectorBytes, bytes: sectorBytes },
    { at: sectorBytes, bytes: sectorBytes },
    ...whole.toSorted((a, b) => a.at - b.at).filter(({ at }) => !seen.has(at) && seen.add(at) !== undefined),
  ];
}

/** Sectors from the beginning of the disk to the end of its last partition, in MiB; for messages. */
export const installedMib = ({ partitions }: Pick<InstallTarget, 'partitions'>): number =>
  Math.ceil(((partitions.at(-1)?.last ?? 0) + 1) / sectorsPerMib);

/** Path of a partition: the number follows a letter at the end of the name of a disk at once, and a digit behind a `p`. */
export const partitionPathOf = (disk: string, number: number): string =>
  `${disk}${/\d$/.test(disk) ? 'p' : ''}${number}`;
