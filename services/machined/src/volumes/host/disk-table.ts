import { type Partition, type PartitionTable, tableChange, tableHeadBytes } from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import { withChanged } from '../domain/change-partitions.ts';
import type { BlockPort } from './block-port.ts';
import { type DiskPlace, readTable } from './observe-disk.ts';

/** A disk whose table must still be the one with this GUID: its path may be that of another disk by now. */
export interface ExpectedDisk extends DiskPlace {
  /** Undefined: any table. */
  readonly table?: string | undefined;
}

type TablePort = Pick<BlockPort, 'read' | 'write'>;

/** @throws Error of Node.js; Fault `data-loss` without a table, `failed-precondition` when it is that of another disk */
export async function readExpectedTable(
  port: TablePort,
  { path, table: guid }: ExpectedDisk,
): Promise<PartitionTable> {
  const table = await readTable(port, path);
  if (guid !== undefined && table.guid !== guid)
    throw new Fault('failed-precondition', `${path} is another disk now`);
  return table;
}

/** @throws Error of Node.js; Fault as `readExpectedTable()`, and `failed-precondition` when the table has the number */
export async function addToTable(port: TablePort, disk: ExpectedDisk, partition: Partition): Promise<void> {
  const table = await readExpectedTable(port, disk);
  if (table.partitions.some(({ number }) => number === partition.number))
    throw new Fault('failed-precondition', `${disk.path} has a partition ${partition.number} already`);
  await writeTable(port, disk, { ...table, partitions: [...table.partitions, partition] });
}

/** @throws Error of Node.js; Fault as `readExpectedTable()`, and `failed-precondition` when another partition has the number now */
export async function changeInTable(
  port: TablePort,
  disk: ExpectedDisk,
  partition: Partition,
): Promise<void> {
  const table = await readExpectedTable(port, disk);
  const present = table.partitions.find(({ number }) => number === partition.number);
  if (present?.guid !== partition.guid || present.first !== partition.first)
    throw new Fault('failed-precondition', `${disk.path} has another partition ${partition.number} now`);
  await writeTable(port, disk, withChanged(table, partition));
}

/** Replaces the table; wherever the power fails, it is the old or the new one (packages/disk). */
export async function writeTable(
  port: TablePort,
  { path, sectors }: DiskPlace,
  table: PartitionTable,
): Promise<void> {
  const head = await port.read(path, 0, tableHeadBytes);
  await port.write(path, tableChange(head, table, sectors));
}
