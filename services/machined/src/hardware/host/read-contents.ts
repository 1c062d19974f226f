import { type FileHandle, open } from 'node:fs/promises';
import {
  contentsHeadBytes,
  decodeTable,
  type PartitionTable,
  recogniseContents,
  tableHeadBytes,
} from '@nodewright/disk';
import { type Fault, faultFrom } from '@nodewright/fault';
import type { BlockDevice, BoundedCalls } from '@nodewright/linux';

/** What udev would have recorded about the contents of devices, by the name of the device. */
export type ContentsRecords = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Drives that take seconds to answer, and rarely hold anything. */
const slowDrives = /^fd\d/;

export interface ReadContentsInit {
  /** Makes the calls to disks, which may hang. */
  readonly bounded: BoundedCalls;
  /** Called for a disk that does not answer. */
  readonly onHang?: (error: Fault) => void;
  /** Default `/dev`. */
  readonly folder?: string;
}

/**
 * Reads what the devices contain, for a machine without udev. One that cannot be read, does not answer or is removed meanwhile has
 * no contents.
 */
export async function readContents(
  devices: readonly Pick<BlockDevice, 'name' | 'type' | 'parent' | 'partitionNumber'>[],
  { bounded, onHang = () => {}, folder = '/dev' }: ReadContentsInit,
): Promise<ContentsRecords> {
  const records = new Map<string, ReadonlyMap<string, string>>();
  const tables = new Map<string, PartitionTable | undefined>();
  const readOne = async ({ name, parent }: (typeof devices)[number]): Promise<Buffer | undefined> => {
    if (slowDrives.test(name)) return undefined;
    try {
      // The partitions of a disk that hangs hang, too.
      return await bounded.run(`the disk "${folder}/${parent || name}"`, () => readHead(`${folder}/${name}`));
    } catch (error) {
      onHang(faultFrom(error));
      return undefined;
    }
  };
  // All at once: the readings wait for threads, not for each other.
  const heads = await Promise.all(devices.map(readOne));
  // Disks come before their partitions.
  for (const [index, { name, type, parent, partitionNumber }] of devices.entries()) {
    const head = heads[index];
    if (type === 'disk') tables.set(name, head && decodeTable(head.subarray(0, tableHeadBytes)));
    const table = tables.get(type === 'disk' ? name : parent);
    const facts = {
      ...(head === undefined ? {} : contentsFacts(head)),
      ...(type === 'disk' ? tableFacts(table) : entryFacts(table, partitionNumber)),
    };
    records.set(name, new Map(Object.entries(facts)));
  }
  return records;
}

function contentsFacts(head: Buffer): Record<string, string> {
  const found = recogniseContents(head);
  if (found === undefined || found.name === 'gpt' || found.isUnfinished) return {};
  return {
    ID_FS_TYPE: found.name,
    ID_FS_LABEL: found.label,
    ID_FS_UUID: found.uuid,
    ID_FS_BLOCKSIZE: String(found.blockBytes),
    ID_FS_SIZE: String(found.dataBytes),
    // udev keeps this one to itself.
    BLOCK_SIZE: String(found.unitBytes),
  };
}

function tableFacts(table: PartitionTable | undefined): Record<string, string> {
  return table === undefined ? {} : { ID_PART_TABLE_TYPE: 'gpt', ID_PART_TABLE_UUID: table.guid };
}

function entryFacts(table: PartitionTable | undefined, number: number): Record<string, string> {
  const entry = table?.partitions.find((one) => one.number === number);
  if (entry === undefined) return {};
  const { guid, type, label } = entry;
  return { ID_PART_ENTRY_UUID: guid, ID_PART_ENTRY_TYPE: type, ID_PART_ENTRY_NAME: label };
}

/** The beginning of a device; undefined when it cannot be read. */
async function readHead(path: string): Promise<Buffer | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'r');
    const head = Buffer.alloc(contentsHeadBytes);
    let filled = 0;
    while (filled < head.length) {
      const { bytesRead } = await file.read(head, filled, head.length - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return head.subarray(0, filled);
  } catch {
    return undefined;
  } finally {
    await file?.close().catch(() => {});
  }
}
