// A disk with a cache that loses what was not flushed, in any order, and files that are patterns: for installations that the power cuts.
import { decodeTable, encodeTable, type PartitionTable, sectorBytes, tableHeadBytes } from '@nodewright/disk';
import { type InstallTarget, partitionPathOf } from '../domain/install-plan.ts';
import type { ClaimedDisk, GrubParts, InstalledFiles, InstallPort } from '../host/install-executor.ts';

export class PowerCut extends Error {
  override readonly name = 'PowerCut';
}

const zeroSector = Buffer.alloc(sectorBytes);

export class SimulatedInstallDisk implements InstallPort {
  readonly sectors: number;
  /** Sectors that are not zeros. */
  readonly #durable = new Map<number, Buffer>();
  readonly #cached = new Map<number, Buffer>();
  readonly #known = new Map<number, { readonly first: number; readonly last: number }>();
  /** Sectors until the power fails. */
  sectorsLeft = Number.POSITIVE_INFINITY;

  constructor(sectors: number) {
    this.sectors = sectors;
  }

  /** The power is back: of what was not flushed, some sectors are on the disk. */
  restart(isKept: () => boolean): void {
    for (const [sector, bytes] of this.#cached) if (isKept()) this.#durable.set(sector, bytes);
    this.#cached.clear();
    this.#known.clear();
    this.sectorsLeft = Number.POSITIVE_INFINITY;
    if (!hasProtection(this.bytes(0, sectorBytes))) return;
    for (const one of this.table()?.partitions ?? []) this.#known.set(one.number, one);
  }

  /** As the disk has it now, with what is cached. */
  bytes(at: number, lengthBytes: number): Buffer {
    const first = at / sectorBytes;
    return Buffer.concat(
      Array.from({ length: Math.ceil(lengthBytes / sectorBytes) }, (_, index) => this.#sector(first + index)),
    ).subarray(0, lengthBytes);
  }

  table(): PartitionTable | undefined {
    return decodeTable(this.bytes(0, tableHeadBytes));
  }

  /** Stays in the cache of the disk. */
  store(at: number, bytes: Buffer): void {
    for (let done = 0; done < bytes.length; done += sectorBytes) {
      if (this.sectorsLeft <= 0) throw new PowerCut('the power has failed');
      const sector = Buffer.alloc(sectorBytes);
      bytes.copy(sector, 0, done, done + sectorBytes);
      // Zeros on zeros change nothing.
      if (sector.equals(zeroSector) && this.#sector((at + done) / sectorBytes) === zeroSector) continue;
      this.sectorsLeft -= 1;
      this.#cached.set((at + done) / sectorBytes, sector);
    }
  }

  flush(): void {
    for (const [sector, bytes] of this.#cached) this.#durable.set(sector, bytes);
    this.#cached.clear();
  }

  /** Called when the disk is opened to be written to. */
  onClaim: () => void = () => {};

  async claim(): Promise<ClaimedDisk> {
    this.onClaim();
    return {
      sizeBytes: this.sectors * sectorBytes,
      read: async (at, lengthBytes) => this.bytes(at, lengthBytes),
      write: (writes) => this.#write(writes),
      async share() {},
      async [Symbol.asyncDispose]() {},
    };
  }

  async #write(writes: Parameters<ClaimedDisk['write']>[0]): Promise<void> {
    for (const { at, bytes } of writes) {
      // Of zeros in whole MiB only those count that change something.
      if (bytes.equals(Buffer.alloc(bytes.length)) && bytes.length > sectorBytes)
        this.#clear(at, bytes.length);
      else this.store(at, bytes);
      this.flush();
    }
  }

  #clear(at: number, lengthBytes: number): void {
    const [first, last] = [at / sectorBytes, (at + lengthBytes) / sectorBytes - 1];
    const inside = [...this.#durable.keys()].filter((sector) => sector >= first && sector <= last);
    for (const sector of inside) this.store(sector * sectorBytes, zeroSector);
  }

  async read(_disk: string, at: number, lengthBytes: number): Promise<Buffer> {
    return this.bytes(at, lengthBytes);
  }

  async introduce(
    _disk: string,
    partitions: readonly { number: number; first: number; last: number }[],
  ): Promise<AsyncDisposable> {
    for (const { number, first, last } of partitions) {
      if (this.#known.has(number)) throw Object.assign(new Error('ioctl: EBUSY'), { code: 'EBUSY' });
      this.#known.set(number, { first, last });
    }
    return { [Symbol.asyncDispose]: async () => {} };
  }

  forgetPartitions(): void {
    this.#known.clear();
  }

  partitionPath(disk: string, number: number): string {
    return partitionPathOf(disk, number);
  }

  /** The first byte of a partition that the kernel knows. */
  startOf(device: string): number {
    const found = this.#known.get(Number(/\d+$/.exec(device)?.[0]));
    if (found === undefined) throw new Error(`there is no device ${device}`);
    return found.first * sectorBytes;
  }

  async makeFileSystem(
    device: string,
    fileSystem: string,
    { label }: { readonly label: string },
  ): Promise<void> {
    this.store(this.startOf(device), textSector(`${fileSystem} ${label}`));
    this.flush();
  }

  #sector(sector: number): Buffer {
    return this.#cached.get(sector) ?? this.#durable.get(sector) ?? zeroSector;
  }
}

const textSector = (text: string) => {
  const sector = Buffer.alloc(sectorBytes);
  sector.write(text);
  return sector;
};

const hasProtection = (first: Buffer) => first.readUInt16LE(510) === 0xaa55 && first.readUInt8(450) === 0xee;

/** A system fills this many sectors behind the first one of its partitions, and one more when it is complete. */
const filledSectors = 5;
const filled = (name: string, sector: number) => `${name} ${sector}`;

/** The files of a system, each sector with its name. */
export function simulatedFiles(disk: SimulatedInstallDisk, name: string): InstalledFiles {
  let places: readonly number[] = [];
  return {
    values: async () => new Map([[0x0c, Buffer.from(name)]]),
    async fill(deviceOf) {
      places = (['BOOT', 'EFI', 'IMAGECACHE'] as const).map((label) => disk.startOf(deviceOf(label)));
      for (let sector = 1; sector <= filledSectors; sector += 1)
        for (const place of places)
          disk.store(place + sector * sectorBytes, textSector(filled(name, sector)));
      disk.flush();
    },
    grub: (coreSector): GrubParts => ({
      bootCode: Buffer.from(`boot ${name} ${coreSector}`),
      core: Buffer.concat([1, 2, 3].map((part) => textSector(`core ${name} ${part}`))),
    }),
    async writeState(device) {
      disk.store(disk.startOf(device) + sectorBytes, textSector(`state ${name}`));
      disk.flush();
    },
    async complete() {
      for (const place of places)
        disk.store(place + (filledSectors + 1) * sectorBytes, textSector(filled(name, filledSectors + 1)));
      disk.flush();
    },
  };
}

/**
 * What the machine has after it was switched on: `nothing` when no firmware starts from the disk, the name of a system that is there as a whole, or
 * `half` with what is missing.
 */
export function startedSystem(disk: SimulatedInstallDisk): string {
  const first = disk.bytes(0, sectorBytes);
  if (!hasProtection(first)) return 'nothing';
  const table = disk.table();
  if (table === undefined) return 'half: no table';
  const [, name = '', coreSector = ''] = /^boot (\S+) (\d+)/.exec(first.toString('latin1')) ?? [];
  const placeOf = (label: string) => table.partitions.find((one) => one.label === label);
  const textAt = (label: string, sector: number) =>
    disk
      .bytes(((placeOf(label)?.first ?? 0) + sector) * sectorBytes, sectorBytes)
      .toString('latin1')
      .replace(/\0+$/, '');
  const missing = [
    ...(coreSector === String(placeOf('BIOS')?.first) ? [] : ['boot code']),
    ...[1, 2, 3]
      .filter((part) => textAt('BIOS', part - 1) !== `core ${name} ${part}`)
      .map((part) => `core ${part}`),
    ...['BOOT', 'EFI', 'IMAGECACHE'].flatMap((label) =>
      Array.from({ length: filledSectors + 1 }, (_, index) => index + 1)
        .filter((sector) => textAt(label, sector) !== filled(name, sector))
        .map((sector) => `${label} ${sector}`),
    ),
    ...(textAt('STATE', 1) === `state ${name}` ? [] : ['STATE']),
  ];
  return missing.length === 0 ? name : `half: ${missing.join(', ')}`;
}

/** Puts a whole system on the disk, as an installation that was not interrupted. */
export function putTable(disk: SimulatedInstallDisk, target: InstallTarget): void {
  const { head, tail } = encodeTable({ guid: target.guid, partitions: target.partitions }, disk.sectors);
  disk.store(0, head);
  disk.store(disk.sectors * sectorBytes - tail.length, tail);
  disk.flush();
  disk.restart(() => true);
}
