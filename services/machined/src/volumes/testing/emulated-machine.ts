import type { Timers } from '@nodewright/async';
import type { DiskWrite } from '@nodewright/disk';
import { createBoundedCalls } from '@nodewright/linux';
import type { BlockPort, ExclusiveDevice, KernelPartition, VolumeMount } from '../host/block-port.ts';
import { createMetaOnDisk } from '../host/meta-on-disk.ts';
import { OtherDisks } from '../host/other-disks.ts';
import { finishWipe, wipePartitions } from '../host/partition-wipe.ts';
import { SystemDisk } from '../host/system-disk.ts';
import { VolumeExecutor } from '../host/volume-executor.ts';
import type { VolumeFolders } from '../host/volume-folder.ts';
import { VolumesElsewhere } from '../host/volumes-elsewhere.ts';
import type { EmulatedDisk } from './emulated-disk.ts';

/** The folders of a node in memory. */
export class EmulatedFolders implements VolumeFolders {
  readonly made = new Map<string, number>();
  readonly modes: [path: string, mode: number][] = [];
  /** Thrown by each call that creates a folder. */
  failure: Error | undefined;
  /** Thrown by each change of a mode, which follows a mount. */
  mountFailure: Error | undefined;
  readonly sizeBytes: bigint;

  constructor(sizeBytes = 20_480_000_000n) {
    this.sizeBytes = sizeBytes;
  }

  async sizeOf(path: string): Promise<bigint | undefined> {
    return this.made.has(path) ? this.sizeBytes : undefined;
  }

  async make(path: string, mode: number): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.made.set(path, mode);
  }

  async setMode(path: string, mode: number): Promise<void> {
    if (this.mountFailure !== undefined) throw this.mountFailure;
    this.modes.push([path, mode]);
  }
}

/** The emulated disks of a machine behind one port, the system disk first. */
export class EmulatedPort implements BlockPort {
  readonly disks: readonly [EmulatedDisk, ...EmulatedDisk[]];
  /** The disks that were read or changed. */
  readonly used = new Set<string>();

  constructor(disks: readonly [EmulatedDisk, ...EmulatedDisk[]]) {
    this.disks = disks;
  }

  #of(device: string): EmulatedDisk {
    const disk = this.disks.find(({ path }) => device.startsWith(path));
    if (disk === undefined) throw new Error(`there is no device ${device}`);
    this.used.add(disk.path);
    return disk;
  }

  read(device: string, at: number, lengthBytes: number): Promise<Buffer> {
    return this.#of(device).read(device, at, lengthBytes);
  }

  write(device: string, writes: readonly DiskWrite[]): Promise<void> {
    return this.#of(device).write(device, writes);
  }

  addPartition(disk: string, partition: KernelPartition): void {
    this.#of(disk).addPartition(disk, partition);
  }

  partitionPlace(disk: string, number: number) {
    return this.#of(disk).partitionPlace(disk, number);
  }

  resizePartition(disk: string, partition: KernelPartition): void {
    this.#of(disk).resizePartition(disk, partition);
  }

  removePartition(disk: string, number: number): void {
    this.#of(disk).removePartition(disk, number);
  }

  async openExclusive(device: string): Promise<ExclusiveDevice> {
    // The mounts of all disks are at the first one.
    if (this.disks[0].mounts.some((mount) => mount.device.startsWith(device)))
      throw Object.assign(new Error('EBUSY: resource busy or locked, open'), { code: 'EBUSY' });
    return this.#of(device).openExclusive(device);
  }

  async announceChange(): Promise<void> {}

  makeXfs(device: string, label: string): Promise<void> {
    return this.#of(device).makeXfs(device, label);
  }

  mount(mount: VolumeMount): void {
    this.#system.mount(mount);
  }

  unmount(target: string): void {
    this.#system.unmount(target);
  }

  growXfs(target: string, blocks: number): void {
    this.#system.growXfs(target, blocks);
  }

  get #system(): EmulatedDisk {
    return this.disks[0];
  }
}

/** The volumes of a machine with these disks, the system disk first, as after a start. */
export function startVolumes(
  disks: readonly [EmulatedDisk, ...EmulatedDisk[]],
  {
    folders = new EmulatedFolders(),
    hasImageCache = false,
  }: { readonly folders?: VolumeFolders; readonly hasImageCache?: boolean } = {},
) {
  const [{ path, sectors }] = disks;
  const port = new EmulatedPort(disks);
  const disk = new SystemDisk({ port, path, sectors });
  const executor = new VolumeExecutor({ disk, hasImageCache, folders, log: { warn() {} } });
  return { disk, executor, folders, port };
}

export interface StartMachineOptions {
  readonly folders?: VolumeFolders;
  /** The disks that are connected, beside the system disk, as long as they are. */
  readonly connected?: () => readonly EmulatedDisk[];
  /** As the disk says it is. */
  readonly identityOf?: (disk: EmulatedDisk) => string;
  /** How long a disk may take to answer, in ms. */
  readonly timeoutMs?: number;
  readonly timers?: Timers;
}

/** A machine with several disks as after a start: a reset that was interrupted is completed first, as far as that is possible. */
export async function startMachine(
  disks: readonly [EmulatedDisk, ...EmulatedDisk[]],
  {
    folders = new EmulatedFolders(),
    connected = () => disks.slice(1),
    identityOf = () => '',
    timeoutMs = 10_000,
    timers,
  }: StartMachineOptions = {},
) {
  const [{ path, sectors }] = disks;
  const port = new EmulatedPort(disks);
  const warnings: unknown[][] = [];
  const log = { warn: (...warning: unknown[]) => void warnings.push(warning) };
  const disk = new SystemDisk({ port, path, sectors });
  const meta = createMetaOnDisk(port, `${path}2`);
  const others = new OtherDisks({
    port,
    list: () =>
      connected().map((one) => ({
        ...{ path: one.path, sectors: one.sectors, isReadOnly: false, identity: identityOf(one) },
      })),
    bounded: createBoundedCalls({ timeoutMs, limit: 3 }),
  });
  let resetFailure: unknown;
  const finished = await finishWipe({ disk, others, meta }).catch((error: unknown) => {
    resetFailure = error;
    return undefined;
  });
  const elsewhere = await VolumesElsewhere.open({ meta, disks: others, log });
  const executor = new VolumeExecutor({
    ...{ disk, elsewhere, folders, log },
    ...(timers !== undefined && { timers }),
  });
  const wipe = (volumes: readonly string[], isWhole = false) =>
    wipePartitions({ disk, others, meta, release: async () => {}, log }, { volumes, isWhole });
  return { disk, others, meta, elsewhere, executor, folders, port, finished, resetFailure, wipe, warnings };
}
