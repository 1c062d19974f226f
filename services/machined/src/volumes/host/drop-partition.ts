import {
  type DiskWrite,
  decodeTable,
  sectorBytes,
  tableChange,
  tableHeadBytes,
  tableRestoration,
  tableTailBytes,
} from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import { withoutNumber } from '../domain/change-partitions.ts';
import type { BlockPort } from './block-port.ts';

/** An entry of the partition table of a disk. */
export interface TableEntry {
  /** Path of the disk. */
  readonly disk: string;
  /** Of the disk, with 512 bytes each. */
  readonly sectors: number;
  readonly number: number;
}

/** @throws Fault `failed-precondition` when the entry cannot be deleted */
export async function checkDrop(port: Pick<BlockPort, 'read'>, entry: TableEntry): Promise<void> {
  await writesOf(port, entry);
}

/** Deletes the entry. The kernel keeps the device of the partition until it is told. @throws Fault as `checkDrop()` */
export async function dropPartition(
  port: Pick<BlockPort, 'read' | 'write'>,
  entry: TableEntry,
): Promise<void> {
  await port.write(entry.disk, await writesOf(port, entry));
}

async function writesOf(
  port: Pick<BlockPort, 'read'>,
  { disk, sectors, number }: TableEntry,
): Promise<DiskWrite[]> {
  const head = await port.read(disk, 0, tableHeadBytes);
  const restoration =
    decodeTable(head) === undefined ? await restorationOf(port, head, { disk, sectors }) : [];
  for (const { at, bytes } of restoration) bytes.copy(head, at);
  const table = decodeTable(head);
  if (table === undefined)
    throw new Fault('failed-precondition', `${disk} has no GPT partition table that can be changed`);
  if (!table.partitions.some((one) => one.number === number))
    throw new Fault('failed-precondition', `the partition table of ${disk} has no partition ${number}`);
  try {
    return [...restoration, ...tableChange(head, withoutNumber(table, number), sectors)];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault('failed-precondition', `the partition table of ${disk} cannot be changed: ${reason}`, {
      cause: error,
    });
  }
}

/** A change of a table of another system that was interrupted leaves its copy whole, while the kernel still knows the partitions. */
async function restorationOf(
  port: Pick<BlockPort, 'read'>,
  head: Buffer,
  { disk, sectors }: Pick<TableEntry, 'disk' | 'sectors'>,
): Promise<DiskWrite[]> {
  const tail = await port.read(disk, sectors * sectorBytes - tableTailBytes, tableTailBytes);
  return tableRestoration(head.subarray(0, sectorBytes), tail, sectors) ?? [];
}
