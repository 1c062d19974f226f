// What is on a disk, for the question whether a system may be installed on it.
import { startPartitions, volumeIds } from '@nodewright/contract/volumes';
import {
  blankBytes,
  decodeTable,
  isBlankDisk,
  metaPartitionBytes,
  type PartitionTable,
  recogniseContents,
  sectorBytes,
  systemLayout,
  tableHeadBytes,
} from '@nodewright/disk';
import type { InstallDisk } from './install-disk.ts';

export type DiskContent = Pick<InstallDisk, 'content' | 'detail'>;

const listedLabels = 8;
/** The entries and the header at the end of a disk. */
const tableCopyBytes = 33 * sectorBytes;
/** Partitions that every disk with a system has. */
const systemLabels: readonly string[] = [startPartitions.boot, volumeIds.meta];

/**
 * @param first the first `blankBytes` of the disk
 * @param last its last `blankBytes`
 */
export function diskContent(first: Buffer, last: Buffer, sectors: number): DiskContent {
  if (first.length < blankBytes || last.length < blankBytes)
    return { content: 'unknown', detail: 'it is too small' };
  if (isBlankDisk(first, last, sectors)) return { content: 'blank', detail: '' };
  const table = decodeTable(first.subarray(0, tableHeadBytes));
  if (isBegun(first, last, table)) return { content: 'begun', detail: '' };
  if (table === undefined)
    return { content: 'other', detail: recogniseContents(first)?.name ?? 'no partition table' };
  const detail = tableText(table);
  return { content: isSystem(table) ? 'system' : 'other', detail };
}

const isZeros = (bytes: Buffer) => bytes.equals(Buffer.alloc(bytes.length));

/** The labels of the partitions that an installation makes. */
const installedLabels: ReadonlySet<string> = new Set([
  ...systemLayout.map(({ label }) => label),
  volumeIds.state,
]);
// Source: UEFI specification 2.10, table 5.6.
const entryBytes = 128;
const labelAt = 56;

/**
 * An installation was interrupted while it wrote the table: first the copy, then the entries, the header, and the first sector last. Data of a
 * machine would be on EPHEMERAL, which an installation does not make. What others keep in these sectors, such as a member of a RAID its
 * description, are no entries of such a table.
 */
function isBegun(first: Buffer, last: Buffer, table: PartitionTable | undefined): boolean {
  const copyAt = last.length - tableCopyBytes;
  const header = first.subarray(sectorBytes, 2 * sectorBytes);
  return (
    isZeros(first.subarray(0, sectorBytes)) &&
    (table === undefined ? isZeros(header) : isWithoutData(table)) &&
    hasOnlyOwnEntries(first.subarray(2 * sectorBytes, tableHeadBytes)) &&
    isZeros(first.subarray(tableHeadBytes)) &&
    isZeros(last.subarray(0, copyAt)) &&
    isCopyOfBegun(last.subarray(copyAt))
  );
}

/** Each sector of a table is there or still zeros. */
function hasOnlyOwnEntries(entries: Buffer): boolean {
  for (let at = 0; at < entries.length; at += entryBytes) {
    const entry = entries.subarray(at, at + entryBytes);
    const [label = ''] = entry.toString('utf16le', labelAt).split('\0');
    if (!isZeros(entry) && !installedLabels.has(label)) return false;
  }
  return true;
}

/** Without its header, the last sector, nothing reads the copy of a table. */
const isCopyOfBegun = (copy: Buffer) =>
  hasOnlyOwnEntries(copy.subarray(0, copy.length - sectorBytes)) &&
  (isZeros(copy.subarray(copy.length - sectorBytes)) ||
    (systemLabels.every((label) => copy.includes(label, 0, 'utf16le')) &&
      !copy.includes(volumeIds.ephemeral, 0, 'utf16le')));

const isWithoutData = (table: PartitionTable) =>
  isSystem(table) && table.partitions.every(({ label }) => label !== volumeIds.ephemeral);

const isSystem = ({ partitions }: PartitionTable) =>
  systemLabels.every((label) =>
    partitions.some(
      (one) =>
        one.label === label &&
        (label !== volumeIds.meta || (one.last - one.first + 1) * sectorBytes === metaPartitionBytes),
    ),
  );

function tableText({ partitions }: PartitionTable): string {
  if (partitions.length === 0) return 'an empty partition table';
  const labels = partitions
    .slice(0, listedLabels)
    .map(({ number, label }) => printable(label) || `number ${number}`);
  const more = partitions.length > listedLabels ? ` and ${partitions.length - listedLabels} others` : '';
  return `partitions ${labels.join(', ')}${more}`;
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?');
