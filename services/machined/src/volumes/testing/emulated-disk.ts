import {
  type DiskWrite,
  decodeTable,
  encodeTable,
  type Partition,
  partitionTypes,
  sectorBytes,
  tableHeadBytes,
} from '@nodewright/disk';
import type { BlockPort, ExclusiveDevice, KernelPartition, VolumeMount } from '../host/block-port.ts';

/** The power of an emulated disk has failed. */
export class PowerCut extends Error {
  override readonly name = 'PowerCut';
}

const mib = 1 << 20;
const perMib = mib / sectorBytes;

/** The power of the disks of one machine. */
export class EmulatedPower {
  /** Writes until the power fails. */
  writesLeft = Number.POSITIVE_INFINITY;
  /** Whether a sector of the write that the power cuts reaches the disk. */
  isWritten: () => boolean = () => true;
}

export interface EmulatedDiskInit {
  readonly path?: string;
  /** Without a partition table. */
  readonly isBlank?: boolean;
  readonly power?: EmulatedPower;
}

/** A disk in memory with the partitions BOOT and META, as the disk image has them. */
export class EmulatedDisk implements BlockPort {
  /** Another one after a start: the kernel names disks in the order in which it finds them. */
  path: string;
  readonly power: EmulatedPower;
  readonly sectors: number;
  readonly bytes: Buffer;
  readonly mounts: VolumeMount[] = [];
  readonly grown: [target: string, blocks: number][] = [];
  /** Thrown by each mount. */
  mountFailure: Error | undefined;
  /** Thrown by each read. */
  readFailure: Error | undefined;
  /** Reads and writes never end. */
  isHanging = false;
  /** Devices that something else uses. */
  readonly busy = new Set<string>();
  /** File systems that were created so far. */
  formats = 0;
  #known = new Map<string, KernelPartition>();

  constructor(
    sizeMib: number,
    { path = '/dev/vda', isBlank = false, power = new EmulatedPower() }: EmulatedDiskInit = {},
  ) {
    this.path = path;
    this.power = power;
    this.sectors = sizeMib * perMib;
    this.bytes = Buffer.alloc(sizeMib * mib);
    if (isBlank) return;
    const partitionOf = (label: string, number: number): Partition => ({
      ...{ number, type: partitionTypes.linux, label, guid: `11111111-2222-4333-8444-55555555555${number}` },
      ...{ first: number * perMib, last: (number + 1) * perMib - 1 },
    });
    const table = {
      guid: '11111111-2222-4333-8444-555555555555',
      partitions: [partitionOf('BOOT', 1), partitionOf('META', 2)],
    };
    const { head, tail } = encodeTable(table, this.sectors);
    head.copy(this.bytes);
    tail.copy(this.bytes, this.bytes.length - tail.length);
    this.restart();
  }

  set writesLeft(writes: number) {
    this.power.writesLeft = writes;
  }

  set isWritten(isWritten: () => boolean) {
    this.power.isWritten = isWritten;
  }

  /** The power is back: the kernel reads the table. */
  restart(): void {
    this.power.writesLeft = Number.POSITIVE_INFINITY;
    const { partitions = [] } = decodeTable(this.bytes.subarray(0, tableHeadBytes)) ?? {};
    this.#known = new Map(partitions.map((one) => [`${this.path}${one.number}`, one]));
    this.mounts.length = 0;
  }

  partitions(): readonly Partition[] {
    const table = decodeTable(this.bytes.subarray(0, tableHeadBytes));
    if (table === undefined) throw new Error('the disk has no partition table');
    return table.partitions;
  }

  /** A second table for what another system has written. */
  writeTable(partitions: readonly Partition[], guid = '99999999-2222-4333-8444-555555555555'): void {
    const { head, tail } = encodeTable({ guid, partitions }, this.sectors);
    head.copy(this.bytes);
    tail.copy(this.bytes, this.bytes.length - tail.length);
    this.restart();
  }

  async read(device: string, at: number, lengthBytes: number): Promise<Buffer> {
    if (this.readFailure !== undefined) throw this.readFailure;
    if (this.isHanging) return new Promise<never>(() => {});
    const { from, to } = this.#areaOf(device);
    return Buffer.from(this.bytes.subarray(from + at, Math.min(to, from + at + lengthBytes)));
  }

  async write(device: string, writes: readonly DiskWrite[]): Promise<void> {
    const { from, to } = this.#areaOf(device);
    for (const { at, bytes } of writes) {
      if (from + at + bytes.length > to) throw new Error(`a write beyond the end of ${device}`);
      this.#store(from + at, bytes);
    }
  }

  addPartition(disk: string, partition: KernelPartition): void {
    const device = `${disk}${partition.number}`;
    const known = this.#known.get(device);
    if (known === undefined) this.#known.set(device, partition);
    else if (known.first !== partition.first || known.last !== partition.last)
      throw Object.assign(new Error('ioctl: EBUSY'), { code: 'EBUSY' });
  }

  partitionPlace(disk: string, number: number) {
    return this.#known.get(`${disk}${number}`);
  }

  resizePartition(disk: string, partition: KernelPartition): void {
    this.#known.set(`${disk}${partition.number}`, partition);
  }

  removePartition(disk: string, number: number): void {
    this.#known.delete(`${disk}${number}`);
  }

  async openExclusive(device: string): Promise<ExclusiveDevice> {
    const users = [...this.busy, ...this.mounts.map((mount) => mount.device)];
    if (users.some((used) => used === device || (device === this.path && used.startsWith(device))))
      throw Object.assign(new Error('EBUSY: resource busy or locked, open'), { code: 'EBUSY' });
    return {
      write: (at, bytes) => this.write(device, [{ at, bytes: Buffer.from(bytes) }]),
      sync: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
  }

  async announceChange(): Promise<void> {}

  async makeXfs(device: string, label: string): Promise<void> {
    const { from, to } = this.#areaOf(device);
    this.formats += 1;
    const block = Buffer.alloc(sectorBytes);
    block.write('XFSB', 0, 'latin1');
    block.writeUInt32BE(4096, 4);
    block.writeBigUInt64BE(BigInt((to - from) / 4096), 8);
    block.writeUInt32BE(this.formats, 44);
    block.write(label, 108, 'utf8');
    // Two writes: the file system is whole after the second one.
    block.writeUInt8(1, 126);
    this.#store(from, block);
    block.writeUInt8(0, 126);
    this.#store(from, block);
  }

  mount(mount: VolumeMount): void {
    if (this.mountFailure !== undefined) throw this.mountFailure;
    this.mounts.push(mount);
  }

  unmount(target: string): void {
    const at = this.mounts.findLastIndex((mount) => mount.target === target);
    if (at < 0) throw new Error(`nothing is mounted at ${target}`);
    this.mounts.splice(at, 1);
  }

  growXfs(target: string, blocks: number): void {
    this.grown.push([target, blocks]);
  }

  #areaOf(device: string): { readonly from: number; readonly to: number } {
    if (device === this.path) return { from: 0, to: this.bytes.length };
    const known = this.#known.get(device);
    if (known === undefined) throw new Error(`there is no device ${device}`);
    return { from: known.first * sectorBytes, to: (known.last + 1) * sectorBytes };
  }

  #store(at: number, bytes: Buffer): void {
    const { power } = this;
    power.writesLeft -= 1;
    if (power.writesLeft >= 0) return void bytes.copy(this.bytes, at);
    if (power.writesLeft === -1) {
      for (let done = 0; done < bytes.length; done += sectorBytes)
        if (power.isWritten()) bytes.copy(this.bytes, at + done, done, done + sectorBytes);
    }
    throw new PowerCut('the power has failed');
  }
}
