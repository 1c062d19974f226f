import {
  decodeTable,
  type Partition,
  type PartitionTable,
  sectorBytes,
  tableChange,
  tableCreation,
  tableHeadBytes,
} from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import { withChanged, withoutGuids, withoutLabels } from '../domain/change-partitions.ts';
import {
  type LocatedPartition,
  type ObservedDisk,
  partitionPath,
  sizeOfPartition,
} from '../domain/plan/volume-plan.ts';
import type { BlockPort } from './block-port.ts';
import { dropPartition } from './drop-partition.ts';
import { type DiskPlace, observeDisk, readContents } from './observe-disks.ts';
import { Turns } from './turns.ts';

export interface VolumeDisksInit {
  readonly port: BlockPort;
  readonly systemDisk: DiskPlace;
  /** The other disks that can hold partitions now. */
  readonly others: () => readonly DiskPlace[];
}

/** A partition on another disk than the system disk. */
export type PartitionElsewhere = Pick<LocatedPartition, 'disk' | 'guid'>;

/** What is cleared at the beginning and at the end of an area, so that nothing recognises its old contents. */
const clearedBytes = 1 << 20;

/**
 * The disks with the volumes of a machine. Tables are changed here alone, one change at a time; wherever the power fails, the table
 * is the old or the new one (packages/disk).
 */
export class VolumeDisks {
  readonly port: BlockPort;
  readonly #systemDisk: DiskPlace;
  readonly #others: () => readonly DiskPlace[];
  readonly #turns = new Turns();
  #isBeingReset = false;

  constructor({ port, systemDisk, others }: VolumeDisksInit) {
    this.port = port;
    this.#systemDisk = systemDisk;
    this.#others = others;
  }

  /** Path of the disk that the machine was started from. */
  get systemDisk(): string {
    return this.#systemDisk.path;
  }

  get isBeingReset(): boolean {
    return this.#isBeingReset;
  }

  /** Runs an action while nothing else changes a table. `observe()` and `createTable()` to `clear()` belong into one. */
  inTurn<R>(action: () => Promise<R>): Promise<R> {
    return this.#turns.run(() =>
      action().catch((error: unknown) => {
        throw error instanceof Fault ? error : withPath(error, this.#systemDisk.path);
      }),
    );
  }

  /**
   * Reads the system disk, and the other ones if the volume may be there and is not on the system disk.
   *
   * @throws Error of Node.js when the system disk cannot be read; another one that cannot be read is left out
   */
  async observe(label: string, everywhere: boolean): Promise<ObservedDisk[]> {
    const own = await observeDisk(this.port, { ...this.#systemDisk, isSystemDisk: true }, label);
    const others: ObservedDisk[] = [];
    // A disk that hangs must not keep a volume of the system disk waiting.
    for (const place of everywhere && own.contents.size === 0 ? this.#others() : [])
      try {
        others.push(await observeDisk(this.port, { ...place, isSystemDisk: false }, label));
      } catch {
        // It is not a disk to choose. A selector that selects no other one names it in its refusal.
      }
    return [own, ...others];
  }

  /** Gives a blank disk a table without partitions. */
  async createTable(path: string, guid: string): Promise<void> {
    await this.port.write(path, tableCreation(guid, this.#sectorsOf(path)));
  }

  /** @throws Fault `failed-precondition` when the table has changed since it was observed, and has the number */
  async addPartition(path: string, partition: Partition): Promise<void> {
    const table = await this.#table(path);
    if (table.partitions.some(({ number }) => number === partition.number))
      throw new Fault('failed-precondition', `${path} has a partition ${partition.number} already`);
    await this.#writeTable(path, { ...table, partitions: [...table.partitions, partition] });
  }

  /** @throws Fault `failed-precondition` when the table has changed since it was observed, and another partition has the number */
  async changePartition(path: string, partition: Partition): Promise<void> {
    const table = await this.#table(path);
    const present = table.partitions.find(({ number }) => number === partition.number);
    if (present?.guid !== partition.guid || present.first !== partition.first)
      throw new Fault('failed-precondition', `${path} has another partition ${partition.number} now`);
    await this.#writeTable(path, withChanged(table, partition));
  }

  clear(device: string, sizeBytes: number): Promise<void> {
    return clearDevice(this.port, device, sizeBytes);
  }

  /** The partition of the system disk with this label; undefined when there is none. @throws Fault when the disk cannot be read */
  find(label: string): Promise<LocatedPartition | undefined> {
    return this.inTurn(async () => {
      const disk = this.systemDisk;
      const found = (await this.#table(disk)).partitions.find((partition) => partition.label === label);
      if (found === undefined) return undefined;
      const contents = await readContents(this.port, disk, found);
      const { number, guid } = found;
      return {
        ...{ device: partitionPath(disk, number), disk, number, guid, sizeBytes: sizeOfPartition(found) },
        contents: typeof contents === 'string' ? undefined : contents,
      };
    });
  }

  /**
   * Removes the partitions of these volumes. As soon as a table is written, the next start finds none of them on that disk; their
   * contents are cleared after that. From now on no partition is created any more.
   */
  remove(labels: readonly string[], elsewhere: readonly PartitionElsewhere[] = []): Promise<void> {
    return this.inTurn(async () => {
      this.#isBeingReset = true;
      await this.#removeElsewhere(elsewhere);
      await this.#remove(this.systemDisk, (table) => withoutLabels(table, labels));
    });
  }

  /** Removes the same at a start, before anything uses them: partitions can be created afterwards. @param guids those on other disks */
  finishRemoval(labels: readonly string[], guids: readonly string[] = []): Promise<void> {
    return this.inTurn(async () => {
      const places = [
        { path: this.systemDisk, next: (table: PartitionTable) => withoutLabels(table, labels) },
        ...(guids.length === 0 ? [] : this.#others()).map(({ path }) => ({
          path,
          next: (table: PartitionTable) => withoutGuids(table, guids),
        })),
      ];
      for (const { path, next } of places) {
        if (path !== this.systemDisk && !(await this.#hasTable(path))) continue;
        // The kernel has read the table already, and would take a new partition with one of these numbers for the old one.
        for (const { number } of await this.#remove(path, next)) this.port.removePartition(path, number);
      }
    });
  }

  /** Removes everything from the system disk: the machine cannot be started from it any more. */
  removeAll(elsewhere: readonly PartitionElsewhere[] = []): Promise<void> {
    return this.inTurn(async () => {
      this.#isBeingReset = true;
      await this.#removeElsewhere(elsewhere);
      const { path, sectors } = this.#systemDisk;
      const { partitions } = await this.#table(path);
      const zeros = Buffer.alloc(clearedBytes);
      await this.port.write(path, [
        // The header is one sector: without it the table is gone at once.
        { at: sectorBytes, bytes: zeros.subarray(0, sectorBytes) },
        { at: 0, bytes: zeros },
        { at: sectors * sectorBytes - clearedBytes, bytes: zeros },
      ]);
      for (const partition of partitions) await this.#clear(path, partition);
    });
  }

  /** Deletes the entry of one partition, which is not in use. @throws Fault `failed-precondition` when there is none */
  drop(entry: { readonly disk: string; readonly sectors: number; readonly number: number }): Promise<void> {
    return this.inTurn(() => dropPartition(this.port, entry));
  }

  async #removeElsewhere(elsewhere: readonly PartitionElsewhere[]): Promise<void> {
    const present = new Set(this.#others().map(({ path }) => path));
    for (const { disk, guid } of elsewhere) {
      // A disk that was taken out is no reason to keep the rest.
      if (!present.has(disk)) continue;
      try {
        await this.#remove(disk, (table) => withoutGuids(table, [guid]));
      } catch (error) {
        const { kind, message } = faultFrom(error);
        throw new Fault(kind, `disk ${disk}: ${message}`, { cause: error });
      }
    }
  }

  async #remove(
    path: string,
    next: (table: PartitionTable) => PartitionTable,
  ): Promise<readonly Partition[]> {
    const table = await this.#table(path);
    const left = next(table);
    const removed = table.partitions.filter((partition) => !left.partitions.includes(partition));
    // Another disk is only written to when it has something to remove.
    if (removed.length > 0 || path === this.systemDisk) await this.#writeTable(path, left);
    for (const partition of removed) await this.#clear(path, partition);
    return removed;
  }

  #clear(disk: string, partition: Partition): Promise<void> {
    return this.clear(partitionPath(disk, partition.number), sizeOfPartition(partition));
  }

  async #hasTable(path: string): Promise<boolean> {
    return decodeTable(await this.port.read(path, 0, tableHeadBytes)) !== undefined;
  }

  async #table(path: string): Promise<PartitionTable> {
    const table = decodeTable(await this.port.read(path, 0, tableHeadBytes));
    if (table === undefined) throw new Fault('data-loss', `the partition table of ${path} is damaged`);
    return table;
  }

  async #writeTable(path: string, table: PartitionTable): Promise<void> {
    const head = await this.port.read(path, 0, tableHeadBytes);
    await this.port.write(path, tableChange(head, table, this.#sectorsOf(path)));
  }

  #sectorsOf(path: string): number {
    const place = [this.#systemDisk, ...this.#others()].find((one) => one.path === path);
    if (place === undefined) throw new Fault('not-found', `there is no disk ${path}`);
    return place.sectors;
  }
}

/** Overwrites the beginning and the end of a device, where contents are recognised by. */
export async function clearDevice(
  port: Pick<BlockPort, 'write'>,
  device: string,
  sizeBytes: number,
): Promise<void> {
  const zeros = Buffer.alloc(Math.min(clearedBytes, sizeBytes));
  await port.write(device, [
    { at: 0, bytes: zeros },
    { at: sizeBytes - zeros.length, bytes: zeros },
  ]);
}

function withPath(error: unknown, path: string): Fault {
  const { kind, message } = faultFrom(error);
  return new Fault(kind, `system disk ${path}: ${message}`, { cause: error });
}
