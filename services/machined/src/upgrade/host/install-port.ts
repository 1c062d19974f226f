import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import { type NativeCalls, readBlockDevices, runProgram } from '@nodewright/linux';
import { type BlockPort, createBlockPort } from '../../volumes/host/block-port.ts';
import { type FileSystemKind, partitionPathOf } from '../domain/install-plan.ts';
import type { InstallPort } from './install-executor.ts';

const formatTimeoutMs = 10 * 60_000;
const introductions = 20;
const introductionPauseMs = 100;
// <linux/fs.h>: BLKFLSBUF
const dropCache = 0x1261;

/** The disks of this machine, by system calls and by programs that create file systems. */
export function createInstallPort(calls: NativeCalls): InstallPort {
  const port = createBlockPort(calls);
  return {
    write: (device, writes) => port.write(device, writes),
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
