import { type Partition, type PartitionTable, sectorBytes } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import { withoutLabels } from '../domain/change-partitions.ts';
import {
  type LocatedPartition,
  type ObservedDisk,
  partitionPath,
  sizeOfPartition,
} from '../domain/plan/volume-plan.ts';
import type { BlockPort, ExclusiveDevice } from './block-port.ts';
import { addToTable, changeInTable, writeTable } from './disk-table.ts';
import { dropPartition, type TableEntry } from './drop-partition.ts';
import { type DiskPlace, observeDisk, readContents, readTable } from './observe-disk.ts';
import { Turns } from './turns.ts';

/** What is cleared at the beginning and at the end of an area, so that nothing recognises its old contents. */
const clearedBytes = 1 << 20;

/**
 * The disk that the machine was started from, with its volumes that are not recorded to be elsewhere. Its table is changed here alone, one change at a
 * time; wherever the power fails, the table is the old or the new one (packages/disk).
 */
export class SystemDisk {
  readonly port: BlockPort;
  /** `/dev/vda`. */
  readonly path: string;
  readonly #sectors: number;
  readonly #turns = new Turns();
  #isBeingReset = false;

  constructor({ port, path, sectors }: DiskPlace & { readonly port: BlockPort }) {
    this.port = port;
    this.path = path;
    this.#sectors = sectors;
  }

  get isBeingReset(): boolean {
    return this.#isBeingReset;
  }

  /** From now on no partition is created any more. */
  beginReset(): void {
    this.#isBeingReset = true;
  }

  /** Runs an action while nothing else changes the table. `observe()`, `addPartition()` and `changePartition()` belong into one. */
  inTurn<R>(action: () => Promise<R>): Promise<R> {
    return this.#turns.run(action);
  }

  /** Reads the table, and what the partition with this label begins with. @throws Fault that names the disk */
  observe(label: string): Promise<ObservedDisk> {
    return this.#named(() => observeDisk(this.port, { path: this.path, sectors: this.#sectors }, label));
  }

  /** @throws Fault that names the disk; `failed-precondition` when the table has the number */
  addPartition(partition: Partition): Promise<void> {
    return this.#named(() => addToTable(this.port, this.#place, partition));
  }

  /** @throws Fault that names the disk; `failed-precondition` when another partition has the number now */
  changePartition(partition: Partition): Promise<void> {
    return this.#named(() => changeInTable(this.port, this.#place, partition));
  }

  /** The partition with this label; undefined when there is none. @throws Fault when the disk cannot be read */
  find(label: string): Promise<LocatedPartition | undefined> {
    return this.#inOwnTurn(async () => {
      const disk = this.path;
      const found = (await this.#table()).partitions.find((partition) => partition.label === label);
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
   * Removes the partitions of these volumes. As soon as the table is written, the next start finds none of them; their
   * contents are cleared after that. From now on no partition is created any more.
   */
  remove(labels: readonly string[]): Promise<void> {
    return this.#inOwnTurn(async () => {
      this.#isBeingReset = true;
      await this.#remove(labels);
    });
  }

  /** Removes the same at a start, before anything uses them: partitions can be created afterwards. */
  finishRemoval(labels: readonly string[]): Promise<void> {
    return this.#inOwnTurn(async () => {
      // The kernel has read the table already, and would take a new partition with one of these numbers for the old one.
      for (const { number } of await this.#remove(labels)) this.port.removePartition(this.path, number);
    });
  }

  /** Removes everything from the disk: the machine cannot be started from it any more. */
  removeAll(): Promise<void> {
    return this.#inOwnTurn(async () => {
      this.#isBeingReset = true;
      const { partitions } = await this.#table();
      const zeros = Buffer.alloc(clearedBytes);
      await this.port.write(this.path, [
        // The header is one sector: without it the table is gone at once.
        { at: sectorBytes, bytes: zeros.subarray(0, sectorBytes) },
        { at: 0, bytes: zeros },
        { at: this.#sectors * sectorBytes - clearedBytes, bytes: zeros },
      ]);
      for (const partition of partitions) await this.#clear(partition);
    });
  }

  /**
   * Has the kernel forget a partition that is not in use, and deletes its entry, before anything else gets its number.
   *
   * @throws Fault `failed-precondition` when the table has no entry with this number, or it is that of another partition
   */
  drop({ number, guid }: Pick<TableEntry, 'number' | 'guid'>, forget: () => Promise<void>): Promise<void> {
    const entry = { disk: this.path, sectors: this.#sectors, number, ...(guid !== undefined && { guid }) };
    return this.#inOwnTurn(() => dropPartition(this.port, entry, forget));
  }

  async #remove(labels: readonly string[]): Promise<readonly Partition[]> {
    const table = await this.#table();
    const next = withoutLabels(table, labels);
    await this.#writeTable(next);
    const removed = table.partitions.filter((partition) => !next.partitions.includes(partition));
    for (const partition of removed) await this.#clear(partition);
    return removed;
  }

  #clear(partition: Partition): Promise<void> {
    return clearDevice(this.port, partitionPath(this.path, partition.number), sizeOfPartition(partition));
  }

  #table(): Promise<PartitionTable> {
    return readTable(this.port, this.path);
  }

  #writeTable(table: PartitionTable): Promise<void> {
    return writeTable(this.port, this.#place, table);
  }

  get #place(): DiskPlace {
    return { path: this.path, sectors: this.#sectors };
  }

  #inOwnTurn<R>(action: () => Promise<R>): Promise<R> {
    return this.inTurn(() => this.#named(action));
  }

  async #named<R>(action: () => Promise<R>): Promise<R> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof Fault) throw error;
      const { kind, message } = faultFrom(error);
      throw new Fault(kind, `system disk ${this.path}: ${message}`, { cause: error });
    }
  }
}

/** The same as `clearDevice()` for a device that is open alone. */
export async function clearExclusively(device: ExclusiveDevice, sizeBytes: number): Promise<void> {
  const zeros = Buffer.alloc(Math.min(clearedBytes, sizeBytes));
  await device.write(0, zeros);
  await device.write(sizeBytes - zeros.length, zeros);
  await device.sync();
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
