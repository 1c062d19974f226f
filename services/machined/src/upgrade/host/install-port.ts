import { closeSync, constants, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import type { DiskWrite } from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import { type NativeCalls, readBlockDevices, runProgram } from '@nodewright/linux';
import { type BlockPort, createBlockPort } from '../../volumes/host/block-port.ts';
import { type FileSystemKind, partitionPathOf } from '../domain/install-plan.ts';
import type { ClaimedDisk, InstallPort } from './install-executor.ts';

const formatTimeoutMs = 10 * 60_000;
const introductions = 20;
const introductionPauseMs = 100;
// <linux/fs.h>: BLKFLSBUF, BLKGETSIZE64
const dropCache = 0x1261;
const getSize = 0x8008_1272;

/** The disks of this machine, by system calls and by programs that create file systems. */
export function createInstallPort(calls: NativeCalls): InstallPort {
  const port = createBlockPort(calls);
  return {
    claim: (disk) => claim(calls, disk),
    read(device, at, lengthBytes) {
      // What is compared has to come from the disk.
      const descriptor = openSync(device, 'r');
      try {
        calls.control(descriptor, dropCache, Buffer.alloc(0));
      } finally {
        closeSync(descriptor);
      }
      return port.read(device, at, lengthBytes);
    },
    introduce: (disk, partitions) => introduce(port, disk, partitions),
    forgetPartitions(disk) {
      for (const { parent, partitionNumber } of readBlockDevices()) {
        if (`/dev/${parent}` !== disk) continue;
        try {
          port.removePartition(disk, partitionNumber);
        } catch (error) {
          // udevd has had the kernel read the table, which is gone.
          if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
        }
      }
    },
    partitionPath: partitionPathOf,
    async makeFileSystem(device, fileSystem, { label, uuid }) {
      if (fileSystem === 'xfs') return port.makeXfs(device, label);
      await runProgram({
        argv: formatterOf(fileSystem, device, label, uuid),
        environment: {},
        timeoutMs: formatTimeoutMs,
      });
      await using file = await open(device, 'r+');
      await file.sync();
    },
  };
}

/**
 * The first descriptor keeps the number of the device from being given to another disk, so the second one is of the same disk. Only the second one
 * is exclusive, because the kernel mounts no partition of a disk that a program has for itself.
 */
async function claim(calls: Pick<NativeCalls, 'control'>, disk: string): Promise<ClaimedDisk> {
  await using scope = new AsyncDisposableStack();
  const file = scope.use(await open(disk, 'r+'));
  const exclusive = scope.use(await openExclusive(`/proc/self/fd/${file.fd}`, disk));
  const size = Buffer.alloc(8);
  calls.control(file.fd, getSize, size);
  const opened = scope.move();
  return {
    sizeBytes: Number(size.readBigUInt64LE()),
    async read(at, lengthBytes) {
      // What is compared has to come from the disk.
      calls.control(file.fd, dropCache, Buffer.alloc(0));
      const bytes = Buffer.alloc(lengthBytes);
      const { bytesRead } = await file.read(bytes, 0, lengthBytes, at);
      return bytes.subarray(0, bytesRead);
    },
    write: (writes) => writeEach(file, writes),
    share: () => exclusive.close(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function openExclusive(path: string, disk: string): Promise<FileHandle> {
  try {
    // Without O_CREAT, O_EXCL of a block device means that nobody else holds it or a partition of it.
    return await open(path, constants.O_RDWR | constants.O_EXCL);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    throw new Fault('failed-precondition', `${disk} is in use: a file system, swap space or a device on it`, {
      cause: error,
    });
  }
}

async function writeEach(file: FileHandle, writes: readonly DiskWrite[]): Promise<void> {
  for (const { at, bytes } of writes) {
    for (let done = 0; done < bytes.length; )
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    await file.sync();
  }
}

/**
 * Whenever a program has written to a disk, udevd has the kernel read its table again, which has no partitions now. The kernel does not while one
 * of them is open.
 */
async function introduce(
  port: Pick<BlockPort, 'addPartition'>,
  disk: string,
  partitions: Parameters<InstallPort['introduce']>[1],
): Promise<AsyncDisposable> {
  for (let attempt = 1; ; attempt += 1) {
    await using scope = new AsyncDisposableStack();
    try {
      for (const partition of partitions) port.addPartition(disk, partition);
      for (const { number } of partitions) scope.use(await open(partitionPathOf(disk, number), 'r'));
      return scope.move();
    } catch (error) {
      if (attempt === introductions) throw error;
      await pause(introductionPauseMs, new AbortController().signal);
    }
  }
}

/** GRUB reads these features, and a machine has no program that repairs a file system: see `rootfs/disk/ext-partition.ts`. */
const ext4Features =
  'none,has_journal,sparse_super,large_file,filetype,dir_index,ext_attr,extent,huge_file,flex_bg,64bit,dir_nlink,extra_isize';
/** A machine changes a few blocks of metadata at a time. */
const journalMib = 4;

function formatterOf(
  fileSystem: Exclude<FileSystemKind, 'xfs'>,
  device: string,
  label: string,
  uuid: string,
): string[] {
  if (fileSystem === 'vfat')
    return ['/usr/bin/mkfs.fat', '-F', '32', '-n', label, '-i', uuid.replaceAll('-', '').slice(0, 8), device];
  return [
    ...[
      '/usr/bin/mke2fs',
      '-q',
      '-F',
      '-t',
      'ext4',
      '-O',
      ext4Features,
      '-b',
      '4096',
      '-I',
      '256',
      '-m',
      '0',
    ],
    ...[
      '-J',
      `size=${journalMib}`,
      '-E',
      'lazy_itable_init=0,root_owner=0:0',
      '-L',
      label,
      '-U',
      uuid,
      device,
    ],
  ];
}
