import type { DiskWrite } from '@nodewright/disk';
import type { BlockPort, ExclusiveDevice, KernelPartition, VolumeMount } from '../host/block-port.ts';
import { SystemDisk } from '../host/system-disk.ts';
import { VolumeExecutor } from '../host/volume-executor.ts';
import type { VolumeFolders } from '../host/volume-folder.ts';
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
  readonly disks: readonly EmulatedDisk[];
  /** The disks that were read or changed. */
  readonly used = new Set<string>();

  constructor(disks: readonly EmulatedDisk[]) {
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

  resizePartition(disk: string, partition: KernelPartition): void {
    this.#of(disk).resizePartition(disk, partition);
  }

  removePartition(disk: string, number: number): void {
    this.#of(disk).removePartition(disk, number);
  }

  openExclusive(device: string): Promise<ExclusiveDevice> {
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
    const [system] = this.disks;
    if (system === undefined) throw new Error('there is no disk');
    return system;
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
