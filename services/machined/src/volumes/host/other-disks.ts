import {
  additionProblem,
  blankBytes,
  type DiskWrite,
  decodeTable,
  isBlankDisk,
  type Partition,
  sectorBytes,
  tableCreation,
  tableHeadBytes,
  tableTailBytes,
} from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import type { BlockDisk, BoundedCalls } from '@nodewright/linux';
import { unfinishedLabel } from '../domain/change-partitions.ts';
import type { OtherDisk, PartitionContents } from '../domain/plan/volume-plan.ts';
import { partitionPath, sizeOfPartition } from '../domain/plan/volume-plan.ts';
import type { PartitionIdentity } from '../domain/recorded-places.ts';
import type { BlockPort } from './block-port.ts';
import { addToTable, changeInTable, type ExpectedDisk, readExpectedTable, writeTable } from './disk-table.ts';
import { dropPartition, type TableEntry } from './drop-partition.ts';
import { madeByKernel } from './find-system-disk.ts';
import { type DiskPlace, readContents } from './observe-disk.ts';
import { clearDevice } from './system-disk.ts';
import { Turns } from './turns.ts';

/** Another disk, as the kernel knows it. */
export interface OtherPlace extends DiskPlace {
  readonly isReadOnly: boolean;
  /** As of `OtherDisk`. */
  readonly identity: string;
}

/** The disks that can hold volumes, beside the system disk. */
export function otherPlaces(
  disks: readonly Pick<
    BlockDisk,
    'name' | 'devicePath' | 'sizeBytes' | 'sectorBytes' | 'kind' | 'isReadOnly' | 'wwid' | 'serial' | 'model'
  >[],
  systemDisk: string,
): OtherPlace[] {
  return (
    disks
      .filter(({ name, kind }) => !madeByKernel.test(name) && kind !== 'cd')
      .filter((disk) => disk.devicePath !== systemDisk && disk.sectorBytes === sectorBytes)
      // A smaller one has no room for a partition.
      .filter(({ sizeBytes }) => sizeBytes >= 2n * BigInt(blankBytes))
      .map(({ devicePath: path, sizeBytes, isReadOnly, wwid, serial, model }) => ({
        ...{ path, sectors: Number(sizeBytes) / sectorBytes, isReadOnly },
        identity: wwid || (serial && `${model} ${serial}`),
      }))
  );
}

export interface OtherDisksInit {
  readonly port: BlockPort;
  /** The disks that are there now. */
  readonly list: () => readonly OtherPlace[];
  /** Makes the calls to disks, which may hang. */
  readonly bounded: Pick<BoundedCalls, 'run'>;
}

/** How many disks are looked at; a machine with more has them for data, not for its system. */
const maxDisks = 256;

/** The other disks than the system disk. A disk that does not answer keeps nothing waiting for longer than a time limit. */
export class OtherDisks {
  readonly port: BlockPort;
  readonly #list: OtherDisksInit['list'];
  readonly #bounded: OtherDisksInit['bounded'];
  /** By path: a table is read and written as a whole, and a change that comes late must not undo a later one. */
  readonly #turns = new Map<string, Turns>();
  /** Disks with a call that is over its time: they are asked nothing more, so that they occupy few threads. */
  readonly #hanging = new Set<string>();
  #isClosed = false;

  constructor({ port, list, bounded }: OtherDisksInit) {
    this.port = port;
    this.#list = list;
    this.#bounded = bounded;
  }

  /**
   * Reads the table of each disk, and the beginning of the partitions with these GUIDs. What cannot be read is unknown, which is not the
   * same as not there.
   */
  look(partitions: readonly string[]): Promise<OtherDisk[]> {
    return Promise.all(
      this.#list()
        .slice(0, maxDisks)
        .map(async (place): Promise<OtherDisk> => {
          try {
            const state = await this.#within(place.path, () => this.#stateOf(place, partitions));
            return { ...place, state };
          } catch (error) {
            return { ...place, state: { kind: 'unknown', problem: faultFrom(error).message } };
          }
        }),
    );
  }

  /** Waits for a disk for a limited time. The call may end later than that. @throws Fault `deadline-exceeded` */
  async #within<R>(path: string, call: () => Promise<R>): Promise<R> {
    if (this.#hanging.has(path))
      throw new Fault(
        'deadline-exceeded',
        `the disk ${path} does not answer: an earlier call to it still waits`,
      );
    let isRunning = false;
    const tracked = async () => {
      isRunning = true;
      try {
        return await call();
      } finally {
        isRunning = false;
        this.#hanging.delete(path);
      }
    };
    try {
      return await this.#bounded.run(`the disk ${path}`, tracked);
    } finally {
      if (isRunning) this.#hanging.add(path);
    }
  }

  async #stateOf(place: DiskPlace, wanted: readonly string[]): Promise<OtherDisk['state']> {
    const { path, sectors } = place;
    const head = await this.port.read(path, 0, tableHeadBytes);
    const table = decodeTable(head);
    if (table === undefined) return this.#stateWithoutTable(place);
    const contents = new Map<number, PartitionContents>();
    for (const entry of table.partitions) {
      if (!wanted.includes(entry.guid)) continue;
      this.#checkKernel(path, entry);
      const isKnown = this.port.partitionPlace(path, entry.number) !== undefined;
      // A creation that failed before the kernel was told of the partition: it holds nothing.
      if (!isKnown && entry.label.endsWith(unfinishedLabel(''))) continue;
      contents.set(entry.number, await readContents(this.port, path, entry));
    }
    if (table.partitions.some(({ last }) => last >= sectors))
      throw new Fault('failed-precondition', 'its partition table is that of a larger disk');
    return { kind: 'table', table, contents, additionProblem: await this.#additionProblem(place, head) };
  }

  /** Why nothing is added to the table of a disk. Its end matters for that alone. */
  async #additionProblem({ path, sectors }: DiskPlace, head: Buffer): Promise<string | undefined> {
    try {
      const tail = await this.port.read(path, sectors * sectorBytes - tableTailBytes, tableTailBytes);
      return additionProblem(head, tail, sectors);
    } catch (error) {
      return `cannot be read at its end (${faultFrom(error).message})`;
    }
  }

  async #stateWithoutTable({ path, sectors }: DiskPlace): Promise<OtherDisk['state']> {
    const first = await this.port.read(path, 0, blankBytes);
    const last = await this.port.read(path, sectors * sectorBytes - blankBytes, blankBytes);
    return { kind: isBlankDisk(first, last, sectors) ? 'blank' : 'foreign' };
  }

  /** What the kernel takes for the partition is what would be mounted. */
  #checkKernel(path: string, { number, first }: Partition): void {
    const known = this.port.partitionPlace(path, number);
    if (known !== undefined && known.first !== first)
      throw new Fault(
        'failed-precondition',
        `the kernel takes partition ${number} to be elsewhere than its table says: restart the machine`,
      );
  }

  /** From now on nothing is created any more: a reset has begun. What has begun to be created ends before it is removed. */
  close(): void {
    this.#isClosed = true;
  }

  /** Gives a disk a table without partitions, if it is still blank and nothing uses it. @throws Fault that names the disk */
  createTable({ path, sectors }: DiskPlace, guid: string): Promise<void> {
    return this.inTurn(path, async () => {
      this.#checkOpen();
      await using device = await openUnused(this.port, path);
      const isTable = decodeTable(await this.port.read(path, 0, tableHeadBytes)) !== undefined;
      if (isTable || (await this.#stateWithoutTable({ path, sectors })).kind !== 'blank')
        throw new Fault('failed-precondition', `${path} is not empty any more`);
      await writeThrough(device, tableCreation(guid, sectors));
    });
  }

  /** Adds a partition to the table of a disk that nothing uses. @throws Fault that names the disk */
  addPartition(disk: ExpectedDisk, partition: Partition): Promise<void> {
    return this.inTurn(disk.path, async () => {
      this.#checkOpen();
      await using device = await openUnused(this.port, disk.path);
      const { port } = this;
      await readExpectedTable(port, disk);
      // The table, or what is beside it, may have changed since it was chosen.
      const problem = await this.#additionProblem(disk, await port.read(disk.path, 0, tableHeadBytes));
      if (problem !== undefined) throw new Fault('failed-precondition', `${disk.path} ${problem}`);
      const exclusively = {
        read: (path: string, at: number, lengthBytes: number) => port.read(path, at, lengthBytes),
        write: (_path: string, writes: readonly DiskWrite[]) => writeThrough(device, writes),
      };
      await addToTable(exclusively, disk, partition);
    });
  }

  /** @throws Fault that names the disk */
  changePartition(disk: ExpectedDisk, partition: Partition): Promise<void> {
    return this.inTurn(disk.path, () => changeInTable(this.port, disk, partition));
  }

  /** Deletes the entry of a partition, which is not in use, and has the kernel forget it. @throws Fault that names the disk */
  drop(entry: TableEntry, forget: () => Promise<void>): Promise<void> {
    return this.inTurn(entry.disk, () => dropPartition(this.port, entry, forget));
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Fault('failed-precondition', 'the node is being reset');
  }

  /** Runs an action while nothing else changes the table of a disk. */
  inTurn<R>(path: string, action: () => Promise<R>): Promise<R> {
    const turns = this.#turns.get(path) ?? new Turns();
    this.#turns.set(path, turns);
    return turns.run(() => about(path, action));
  }

  /**
   * Removes partitions and clears them. One whose disk is not there, cannot be read or is there several times stays.
   *
   * @returns those that are left, each with the reason
   */
  async remove(
    targets: readonly PartitionIdentity[],
  ): Promise<{ readonly target: PartitionIdentity; readonly reason: string }[]> {
    if (targets.length === 0) return [];
    const left: { target: PartitionIdentity; reason: string }[] = [];
    for (const target of targets) {
      const disks = await this.look([]);
      const sameTable = disks.filter(
        ({ state }) => state.kind === 'table' && state.table.guid === target.disk,
      );
      const having = sameTable.filter(
        ({ state }) =>
          state.kind === 'table' && state.table.partitions.some(({ guid }) => guid === target.partition),
      );
      // Disks that were copied from one template have the same GUID of the table. The partition tells them apart.
      const own = having.length > 0 ? having : sameTable;
      const [disk, ...more] = own;
      const unknown = disks.flatMap(({ path, state }) =>
        state.kind === 'unknown' ? [`${path}: ${state.problem}`] : [],
      );
      if (disk === undefined) left.push({ target, reason: ['its disk is not there', ...unknown].join('; ') });
      else if (more.length > 0)
        left.push({
          target,
          reason: `several disks have its GUID: ${own.map(({ path }) => path).join(', ')}`,
        });
      else if (having.length === 0 && unknown.length > 0)
        left.push({ target, reason: [`${disk.path} has no such partition`, ...unknown].join('; ') });
      else
        try {
          await this.#within(disk.path, () =>
            this.inTurn(disk.path, () => this.#remove({ ...disk, table: target.disk }, target.partition)),
          );
        } catch (error) {
          left.push({ target, reason: `${disk.path}: ${faultFrom(error).message}` });
        }
    }
    return left;
  }

  async #remove(disk: ExpectedDisk, guid: string): Promise<void> {
    const table = await readExpectedTable(this.port, disk);
    const entry = table.partitions.find((one) => one.guid === guid);
    if (entry === undefined) return;
    this.#checkKernel(disk.path, entry);
    // Cleared first: without its entry nothing would say what is left to clear.
    await clearDevice(this.port, partitionPath(disk.path, entry.number), sizeOfPartition(entry));
    await writeTable(this.port, disk, {
      ...table,
      partitions: table.partitions.filter((one) => one !== entry),
    });
    try {
      this.port.removePartition(disk.path, entry.number);
    } catch {
      // It is still in use; the kernel forgets it with the next start.
    }
  }
}

async function about<R>(path: string, action: () => Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof Fault) throw error;
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `disk ${path}: ${message}`, { cause: error });
  }
}

/** @throws Fault that names the device, `failed-precondition` when something uses it */
export async function openUnused(port: Pick<BlockPort, 'openExclusive'>, path: string) {
  try {
    return await port.openExclusive(path);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    const isBusy = (error as { readonly code?: unknown }).code === 'EBUSY';
    throw isBusy
      ? new Fault(
          'failed-precondition',
          `${path} is in use: it or one of its partitions is mounted, or another device is built on it`,
          { cause: error },
        )
      : new Fault(kind, `${path}: ${message}`, { cause: error });
  }
}

async function writeThrough(
  device: Awaited<ReturnType<typeof openUnused>>,
  writes: readonly DiskWrite[],
): Promise<void> {
  for (const { at, bytes } of writes) {
    await device.write(at, bytes);
    await device.sync();
  }
}
