import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import {
  contentsHeadBytes,
  type DiskContents,
  decodeTable,
  type Partition,
  type PartitionTable,
  recogniseContents,
  sectorBytes,
  tableChange,
  tableHeadBytes,
} from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  grown,
  type PartitionWish,
  unfinishedLabel,
  withChanged,
  withoutLabels,
  withPartition,
} from '../domain/change-partitions.ts';
import type { BlockPort, VolumeMount } from './block-port.ts';
import { dropPartition } from './drop-partition.ts';

export interface SystemDiskInit {
  readonly port: BlockPort;
  /** `/dev/vda`. */
  readonly path: string;
  readonly sectors: number;
}

/** A partition with its file system. */
export interface VolumePartition {
  /** `/dev/vda5`. */
  readonly device: string;
  readonly disk: string;
  readonly number: number;
  readonly guid: string;
  readonly sizeBytes: number;
  /** Undefined for a partition without a file system, such as META. */
  readonly contents: DiskContents | undefined;
}

/** What is cleared at the beginning and at the end of an area, so that nothing recognises its old contents. */
const clearedBytes = 1 << 20;

/**
 * The disk that the machine was started from: its partitions are found, created, formatted, grown and removed here.
 * Wherever the power fails, the next start continues: the table changes by one write (packages/disk), and a partition
 * gets the label of its volume only when its file system is whole.
 */
export class SystemDisk {
  readonly path: string;
  readonly #port: BlockPort;
  readonly #sectors: number;
  #turn: Promise<unknown> = Promise.resolve();
  #isWiped = false;

  constructor({ port, path, sectors }: SystemDiskInit) {
    this.path = path;
    this.#port = port;
    this.#sectors = sectors;
  }

  /** The partition with this label; undefined when there is none. @throws Fault when the disk cannot be read */
  find(label: string): Promise<VolumePartition | undefined> {
    return this.#inTurn(async () => {
      const found = (await this.#table()).partitions.find((partition) => partition.label === label);
      return found && this.#described(found);
    });
  }

  /**
   * Finds a partition with its XFS file system, grows it, or creates what is missing.
   *
   * @throws Fault `resource-exhausted` when the disk has no room, `failed-precondition` when the partition holds something
   * else: it is never overwritten. A partition that exists is formatted only when it begins with zeros
   */
  prepare(wish: PartitionWish): Promise<VolumePartition> {
    return this.#inTurn(async () => {
      if (this.#isWiped) throw new Fault('failed-precondition', 'the node is being reset');
      const table = await this.#table();
      const found = table.partitions.find(({ label }) => label === wish.label);
      if (found === undefined) return this.#described(await this.#create(table, wish));
      const { contents, device } = await this.#described(found);
      const refuse = (what: string): never => {
        const advice = `wipe it if nobody needs it (talosctl wipe disk ${basename(device)})`;
        throw new Fault('failed-precondition', `${device} ${what}: ${advice}`);
      };
      if (contents === undefined) {
        // The marks of many formats are not known here, and that of a damaged file system is gone.
        if (!(await this.#beginsWithZeros(found)))
          refuse(
            `is labelled ${wish.label} and holds something that is not recognised, such as a damaged file system`,
          );
        return this.#described(await this.#format(table, found, wish.label));
      }
      if (contents.name !== 'xfs') refuse(`holds ${contents.name}, not xfs`);
      return this.#described(await this.#grow(table, found, wish));
    });
  }

  /** Mounts a folder of the root with changes that are on a mounted partition. @throws error of mount(2) */
  mountOverlay(mount: Omit<VolumeMount, 'device' | 'type'>): void {
    this.#port.mount({ device: 'overlay', type: 'overlay', ...mount });
  }

  /** @throws Fault `failed-precondition` for a partition without a file system; an error of mount(2) */
  mount({ device, contents }: VolumePartition, mount: Omit<VolumeMount, 'device' | 'type'>): void {
    if (contents === undefined) throw new Fault('failed-precondition', `${device} holds no file system`);
    this.#port.mount({ device, type: contents.name, ...mount });
  }

  /** Grows a mounted file system to the size of its partition, when that is larger by a MiB at least. */
  growFileSystem({ sizeBytes, contents }: VolumePartition, target: string): void {
    if (contents === undefined || sizeBytes - contents.sizeBytes < clearedBytes) return;
    this.#port.growXfs(target, Math.floor(sizeBytes / contents.blockBytes));
  }

  /**
   * Removes the partitions of these volumes. As soon as the table is written, the next start finds none of them; their
   * contents are cleared after that. From now on no partition is created any more.
   */
  remove(labels: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      this.#isWiped = true;
      await this.#remove(labels);
    });
  }

  /** Removes the same at a start, before anything uses them: partitions can be created afterwards. */
  finishRemoval(labels: readonly string[]): Promise<void> {
    return this.#inTurn(async () => {
      // The kernel has read the table already, and would take a new partition with one of these numbers for the old one.
      for (const { number } of await this.#remove(labels)) this.#port.removePartition(this.path, number);
    });
  }

  /** Removes everything from the disk: the machine cannot be started from it any more. */
  removeAll(): Promise<void> {
    return this.#inTurn(async () => {
      this.#isWiped = true;
      const { partitions } = await this.#table();
      const zeros = Buffer.alloc(clearedBytes);
      await this.#port.write(this.path, [
        // The header is one sector: without it the table is gone at once.
        { at: sectorBytes, bytes: zeros.subarray(0, sectorBytes) },
        { at: 0, bytes: zeros },
        { at: this.#sectors * sectorBytes - clearedBytes, bytes: zeros },
      ]);
      for (const partition of partitions) await this.#clear(partition);
    });
  }

  /** Deletes the entry of one partition, which is not in use. @throws Fault `failed-precondition` when there is none */
  drop(number: number): Promise<void> {
    return this.#inTurn(() => dropPartition(this.#port, { disk: this.path, sectors: this.#sectors, number }));
  }

  async #remove(labels: readonly string[]): Promise<readonly Partition[]> {
    const table = await this.#table();
    const next = withoutLabels(table, labels);
    await this.#writeTable(next);
    const removed = table.partitions.filter((partition) => !next.partitions.includes(partition));
    for (const partition of removed) await this.#clear(partition);
    return removed;
  }

  async #create(table: PartitionTable, wish: PartitionWish): Promise<Partition> {
    const begun = table.partitions.find(({ label }) => label === unfinishedLabel(wish.label));
    if (begun !== undefined) return this.#format(table, begun, wish.label);
    const { table: next, made } = withPartition(table, this.#sectors, wish, randomUUID());
    await this.#writeTable(next);
    return this.#format(next, made, wish.label);
  }

  async #format(table: PartitionTable, partition: Partition, label: string): Promise<Partition> {
    const unfinished = { ...partition, label: unfinishedLabel(label) };
    if (partition.label !== unfinished.label) await this.#writeTable(withChanged(table, unfinished));
    this.#port.addPartition(this.path, unfinished);
    await this.#clear(unfinished);
    await this.#port.makeXfs(this.#deviceOf(partition), label);
    const finished = { ...unfinished, label };
    await this.#writeTable(withChanged(table, finished));
    return finished;
  }

  async #grow(table: PartitionTable, partition: Partition, wish: PartitionWish): Promise<Partition> {
    const larger = grown(table, this.#sectors, partition, wish);
    if (larger === undefined) return partition;
    await this.#writeTable(withChanged(table, larger));
    this.#port.resizePartition(this.path, larger);
    return larger;
  }

  #clear(partition: Partition): Promise<void> {
    return clearDevice(this.#port, this.#deviceOf(partition), sizeOf(partition));
  }

  async #described(partition: Partition): Promise<VolumePartition> {
    const device = this.#deviceOf(partition);
    const { number, guid } = partition;
    const head = await this.#port.read(device, 0, contentsHeadBytes);
    const contents = recogniseContents(head);
    return { device, disk: this.path, number, guid, sizeBytes: sizeOf(partition), contents };
  }

  async #beginsWithZeros(partition: Partition): Promise<boolean> {
    const length = Math.min(clearedBytes, sizeOf(partition));
    const head = await this.#port.read(this.#deviceOf(partition), 0, length);
    return head.equals(Buffer.alloc(length));
  }

  #deviceOf({ number }: Partition): string {
    return partitionPath(this.path, number);
  }

  async #table(): Promise<PartitionTable> {
    const table = decodeTable(await this.#port.read(this.path, 0, tableHeadBytes));
    if (table === undefined) throw new Fault('data-loss', `the partition table of ${this.path} is damaged`);
    return table;
  }

  async #writeTable(table: PartitionTable): Promise<void> {
    const head = await this.#port.read(this.path, 0, tableHeadBytes);
    await this.#port.write(this.path, tableChange(head, table, this.#sectors));
  }

  /** Runs one action at a time. */
  #inTurn<R>(action: () => Promise<R>): Promise<R> {
    const done = this.#turn.then(action).catch((error: unknown) => {
      throw error instanceof Fault ? error : withPath(error, this.path);
    });
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** Overwrites the beginning and the end of a device, where contents are recognised by. */
export async function clearDevice(port: BlockPort, device: string, sizeBytes: number): Promise<void> {
  const zeros = Buffer.alloc(Math.min(clearedBytes, sizeBytes));
  await port.write(device, [
    { at: 0, bytes: zeros },
    { at: sizeBytes - zeros.length, bytes: zeros },
  ]);
}

const sizeOf = ({ first, last }: Partition) => (last - first + 1) * sectorBytes;

function withPath(error: unknown, path: string): Fault {
  const { kind, message } = faultFrom(error);
  return new Fault(kind, `system disk ${path}: ${message}`, { cause: error });
}

/** `/dev/vda5`, and `/dev/nvme0n1p5` where the name of the disk ends with a digit. */
export function partitionPath(disk: string, number: number): string {
  return `${disk}${/\d$/.test(disk) ? 'p' : ''}${number}`;
}
