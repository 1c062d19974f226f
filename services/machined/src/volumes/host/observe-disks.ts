import {
  blankBytes,
  contentsHeadBytes,
  decodeTable,
  isBlankDisk,
  type Partition,
  recogniseContents,
  sectorBytes,
  tableHeadBytes,
} from '@nodewright/disk';
import {
  type ObservedDisk,
  type PartitionContents,
  partitionPath,
  sizeOfPartition,
} from '../domain/plan/volume-plan.ts';
import type { BlockPort } from './block-port.ts';

/** A disk with sectors of 512 bytes. */
export interface DiskPlace {
  /** `/dev/vda`. */
  readonly path: string;
  readonly sectors: number;
}

/** How much of a partition must be zeros before it is formatted. */
const emptyBytes = 1 << 20;

/** Reads the table of a disk, and the beginning of its partitions with this label. @throws Error of Node.js */
export async function observeDisk(
  port: Pick<BlockPort, 'read'>,
  { path, sectors, isSystemDisk }: DiskPlace & Pick<ObservedDisk, 'isSystemDisk'>,
  label: string,
): Promise<ObservedDisk> {
  const table = decodeTable(await port.read(path, 0, tableHeadBytes));
  const contents = new Map<number, PartitionContents>();
  for (const partition of table?.partitions ?? [])
    if (partition.label === label) contents.set(partition.number, await readContents(port, path, partition));
  const isBlank = table === undefined && !isSystemDisk && (await holdsNothing(port, { path, sectors }));
  return { path, sectors, isSystemDisk, table, isBlank, contents };
}

/** What a partition begins with. */
export async function readContents(
  port: Pick<BlockPort, 'read'>,
  disk: string,
  partition: Partition,
): Promise<PartitionContents> {
  const device = partitionPath(disk, partition.number);
  const recognised = recogniseContents(await port.read(device, 0, contentsHeadBytes));
  if (recognised !== undefined) return recognised;
  const length = Math.min(emptyBytes, sizeOfPartition(partition));
  const head = await port.read(device, 0, length);
  return head.equals(Buffer.alloc(length)) ? 'zeros' : 'unknown';
}

async function holdsNothing(port: Pick<BlockPort, 'read'>, { path, sectors }: DiskPlace): Promise<boolean> {
  const end = sectors * sectorBytes - blankBytes;
  if (end < blankBytes) return false;
  const first = await port.read(path, 0, blankBytes);
  return isBlankDisk(first, await port.read(path, end, blankBytes), sectors);
}
