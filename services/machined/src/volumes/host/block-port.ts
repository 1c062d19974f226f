import { closeSync, constants, openSync } from 'node:fs';
import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type DiskWrite, sectorBytes } from '@nodewright/disk';
import { cString, type NativeCalls, readPartitionPlace, runProgram } from '@nodewright/linux';
import { partitionPath } from '../domain/plan/volume-plan.ts';

/** A partition as the kernel learns of it. Sectors have 512 bytes. */
export interface KernelPartition {
  readonly number: number;
  readonly first: number;
  readonly last: number;
}

export interface VolumeMount {
  readonly device: string;
  /** Type of the file system, such as `xfs`. */
  readonly type: string;
  readonly target: string;
  /** `MS_*` of mount(2). */
  readonly flags: number;
  /** Options of the file system, with commas. */
  readonly options: string;
}

/** A device that nothing else uses, until it is disposed of. */
export interface ExclusiveDevice extends AsyncDisposable {
  write(at: number, bytes: Uint8Array): Promise<void>;
  /** Resolves when everything that was written is on the disk. */
  sync(): Promise<void>;
}

/** What a machine does to its disks. Devices are paths such as `/dev/vda`. */
export interface BlockPort {
  /** @throws Error of Node.js */
  read(device: string, at: number, lengthBytes: number): Promise<Buffer>;
  /** Makes the writes one after the other; each is on the disk before the next begins. */
  write(device: string, writes: readonly DiskWrite[]): Promise<void>;
  /**
   * Tells the kernel of a partition that was added to the table of the disk. One that it knows is left alone.
   *
   * @throws SystemCallError `EBUSY` when it knows another one by this number, or at this place
   */
  addPartition(disk: string, partition: KernelPartition): void;
  /** Where the kernel takes a partition to be; undefined when it knows none. */
  partitionPlace(disk: string, number: number): Omit<KernelPartition, 'number'> | undefined;
  /** Tells the kernel of the new end of a partition, which may be in use. */
  resizePartition(disk: string, partition: KernelPartition): void;
  /** Tells the kernel that a partition is gone. @throws SystemCallError `EBUSY` when it is open, `ENXIO` when there is none */
  removePartition(disk: string, number: number): void;
  /**
   * Opens a device that nothing uses. While it is open, the kernel refuses to mount it or to build a device on it.
   *
   * @throws Error of Node.js, `EBUSY` when it is in use
   */
  openExclusive(device: string): Promise<ExclusiveDevice>;
  /**
   * Has the kernel announce that the contents of a device have changed, as it does by itself for a new device.
   *
   * @param sysPath its folder in sysfs
   */
  announceChange(sysPath: string): Promise<void>;
  /** Creates an XFS file system, whatever the device contains. It is on the disk when the promise resolves. */
  makeXfs(device: string, label: string): Promise<void>;
  mount(mount: VolumeMount): void;
  /** Ends a mount that nothing uses. @throws SystemCallError `EBUSY` while it is in use */
  unmount(target: string): void;
  /** Grows a mounted XFS file system to this many blocks of its own size. */
  growXfs(target: string, blocks: number): void;
}

// <linux/blkpg.h>
const changePartition = 0x1269;
const addOperation = 1;
const removeOperation = 2;
const resizeOperation = 3;
const changeBytes = 24;
const partitionBytes = 152;
// <xfs/xfs_fs.h>: XFS_IOC_FSGROWFSDATA
const growFileSystem = 0x4010_586e;
/** Percent of the space that may hold inodes: the value that mkfs.xfs chooses for file systems below 1 TB. */
const maxInodePercent = 25;
const formatTimeoutMs = 10 * 60_000;

/** The disks of this machine, by system calls and mkfs.xfs. */
export function createBlockPort(calls: NativeCalls): BlockPort {
  const change = (disk: string, operation: number, { number, first, last }: KernelPartition) => {
    const partition = Buffer.alloc(partitionBytes);
    partition.writeBigInt64LE(BigInt(first * sectorBytes), 0);
    partition.writeBigInt64LE(BigInt((last - first + 1) * sectorBytes), 8);
    partition.writeInt32LE(number, 16);
    const argument = Buffer.alloc(changeBytes);
    argument.writeInt32LE(operation, 0);
    argument.writeInt32LE(partitionBytes, 8);
    argument.writeBigUInt64LE(calls.addressOf(partition), 16);
    withOpen(disk, 'r+', (descriptor) => calls.control(descriptor, changePartition, argument));
  };
  return {
    read: (device, at, lengthBytes) => withFile(device, 'r', (file) => readFrom(file, at, lengthBytes)),
    write: (device, writes) =>
      withFile(device, 'r+', async (file) => {
        for (const { at, bytes } of writes) {
          await writeAll(file, bytes, at);
          await file.sync();
        }
      }),
    addPartition(disk, partition) {
      try {
        change(disk, addOperation, partition);
      } catch (error) {
        // The kernel found it in the table at its start.
        const known = placeInKernel(disk, partition.number);
        if (known?.first === partition.first && known.last === partition.last) return;
        throw error;
      }
    },
    partitionPlace: placeInKernel,
    resizePartition: (disk, partition) => change(disk, resizeOperation, partition),
    removePartition: (disk, number) => change(disk, removeOperation, { number, first: 0, last: -1 }),
    async openExclusive(device) {
      // Without O_CREAT, O_EXCL of a block device means that nobody else holds it.
      const file = await open(device, constants.O_RDWR | constants.O_EXCL);
      return {
        write: (at, bytes) => writeAll(file, bytes, at),
        sync: () => file.sync(),
        [Symbol.asyncDispose]: () => file.close(),
      };
    },
    announceChange: (sysPath) => writeFile(`${sysPath}/uevent`, 'change'),
    async makeXfs(device, label) {
      await runProgram({
        // STATE is smaller than what mkfs.xfs supports by default.
        argv: ['/usr/bin/mkfs.xfs', '-f', '-q', '--unsupported', '-L', label, device],
        environment: {},
        timeoutMs: formatTimeoutMs,
      });
      await withFile(device, 'r+', (file) => file.sync());
    },
    mount: ({ device, type, target, flags, options }) =>
      calls.mount(cString(device), cString(target), cString(type), flags, cString(options)),
    unmount: (target) => calls.unmount(cString(target)),
    growXfs(target, blocks) {
      const argument = Buffer.alloc(16);
      argument.writeBigUInt64LE(BigInt(blocks), 0);
      argument.writeUInt32LE(maxInodePercent, 8);
      withOpen(target, 'r', (descriptor) => calls.control(descriptor, growFileSystem, argument));
    },
  };
}

function placeInKernel(disk: string, number: number): Omit<KernelPartition, 'number'> | undefined {
  const place = readPartitionPlace(basename(partitionPath(disk, number)));
  if (place === undefined) return undefined;
  const first = place.offsetBytes / sectorBytes;
  return { first, last: first + place.sizeBytes / sectorBytes - 1 };
}

function withOpen(path: string, mode: 'r' | 'r+', use: (descriptor: number) => void): void {
  const descriptor = openSync(path, mode);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function withFile<R>(
  path: string,
  mode: 'r' | 'r+',
  use: (file: FileHandle) => Promise<R>,
): Promise<R> {
  const file = await open(path, mode);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** Fewer bytes at the end of the device. */
async function readFrom(file: FileHandle, at: number, lengthBytes: number): Promise<Buffer> {
  const bytes = Buffer.alloc(lengthBytes);
  let filled = 0;
  while (filled < lengthBytes) {
    const { bytesRead } = await file.read(bytes, filled, lengthBytes - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}
