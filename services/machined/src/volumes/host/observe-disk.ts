import {
  contentsHeadBytes,
  decodeTable,
  type Partition,
  type PartitionTable,
  recogniseContents,
  tableHeadBytes,
} from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
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

/**
 * Reads the table of a disk, and the beginning of its partitions with this label.
 *
 * @throws Error of Node.js; Fault `data-loss` without a table
 */
export async function observeDisk(
  port: Pick<BlockPort, 'read'>,
  { path, sectors }: DiskPlace,
  label: string,
): Promise<ObservedDisk> {
  const table = await readTable(port, path);
  const contents = new Map<number, PartitionContents>();
  for (const partition of table.partitions)
    if (partition.label === label) contents.set(partition.number, await readContents(port, path, partition));
  return { path, sectors, table, contents };
}

/** @throws Error of Node.js; Fault `data-loss` without a table */
export async function readTable(port: Pick<BlockPort, 'read'>, path: string): Promise<PartitionTable> {
  const table = decodeTable(await port.read(path, 0, tableHeadBytes));
  if (table === undefined) throw new Fault('data-loss', `the partition table of ${path} is damaged`);
  return table;
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
