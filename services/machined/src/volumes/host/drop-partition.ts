import {
  type DiskWrite,
  decodeTable,
  type Partition,
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
  /** Of the entry; undefined while it was not looked at. Only this one is deleted. */
  readonly guid?: string;
}

/** Where the kernel takes a partition to be, which the entry with its number must agree with. */
export interface KnownPartition {
  readonly offsetBytes: number;
  readonly sizeBytes: number;
}

/**
 * @returns the GUID of the entry
 * @throws Fault `failed-precondition` when the entry cannot be deleted, or is that of another partition
 */
export async function checkDrop(
  port: Pick<BlockPort, 'read'>,
  entry: TableEntry,
  { offsetBytes, sizeBytes }: KnownPartition,
): Promise<string> {
  const { found } = await writesOf(port, entry);
  const { first, last } = found;
  if (first * sectorBytes !== offsetBytes || (last - first + 1) * sectorBytes !== sizeBytes)
    throw new Fault(
      'failed-precondition',
      `the partition table of ${entry.disk} has another partition ${entry.number} than the kernel knows: restart the machine first`,
    );
  return found.guid;
}

/**
 * Deletes the entry, after the kernel has forgotten the partition: it refuses that while the partition is in use, and an entry must not go
 * from below what is mounted. Nor may its number become free while the kernel still has a device of it.
 *
 * @param forget has the kernel forget the partition
 * @throws Fault as `checkDrop()`, or what `forget` throws; then the entry is as it was
 */
export async function dropPartition(
  port: Pick<BlockPort, 'read' | 'write'>,
  entry: TableEntry,
  forget: () => Promise<void>,
): Promise<void> {
  const { writes } = await writesOf(port, entry);
  await forget();
  await port.write(entry.disk, writes);
}

async function writesOf(
  port: Pick<BlockPort, 'read'>,
  { disk, sectors, number, guid }: TableEntry,
): Promise<{ readonly found: Partition; readonly writes: DiskWrite[] }> {
  const head = await port.read(disk, 0, tableHeadBytes);
  const restoration =
    decodeTable(head) === undefined ? await restorationOf(port, head, { disk, sectors }) : [];
  for (const { at, bytes } of restoration) bytes.copy(head, at);
  const table = decodeTable(head);
  if (table === undefined)
    throw new Fault('failed-precondition', `${disk} has no GPT partition table that can be changed`);
  const found = table.partitions.find((one) => one.number === number);
  if (found === undefined)
    throw new Fault('failed-precondition', `the partition table of ${disk} has no partition ${number}`);
  if (guid !== undefined && found.guid !== guid)
    throw new Fault('failed-precondition', `${disk} has another partition ${number} now`);
  try {
    const writes = [...restoration, ...tableChange(head, withoutNumber(table, number), sectors)];
    return { found, writes };
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
