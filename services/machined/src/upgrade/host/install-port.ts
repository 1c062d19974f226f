import { closeSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type NativeCalls, readBlockDevices, runProgram } from '@nodewright/linux';
import { createBlockPort } from '../../volumes/host/block-port.ts';
import { type FileSystemKind, partitionPathOf } from '../domain/install-plan.ts';
import type { InstallPort } from './install-executor.ts';

const formatTimeoutMs = 10 * 60_000;
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
    addPartition: (disk, partition) => port.addPartition(disk, partition),
    removePartition: (disk, number) => port.removePartition(disk, number),
    knownPartitions: (disk) =>
      readBlockDevices().flatMap(({ parent, partitionNumber }) =>
        `/dev/${parent}` === disk ? [partitionNumber] : [],
      ),
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
