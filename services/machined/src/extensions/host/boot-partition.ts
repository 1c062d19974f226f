import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { cString, type NativeCalls } from '@nodewright/linux';

/** The partition BOOT, which is mounted while it is used only. */
export interface BootPartition {
  /** @param work gets the folder of the slot. It must end all of its accesses */
  read<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** @param work also gets a function that returns once the disk has what was written so far; no file may be open for writing then */
  write<T>(work: (folder: string, flush: () => void) => Promise<T>): Promise<T>;
}

export interface BootPartitionInit {
  readonly calls: Pick<NativeCalls, 'mount' | 'detachMount'>;
  /** The partition; undefined when no disk has one. */
  readonly device: () => Promise<string | undefined>;
  /** The folder of the image that the machine runs. */
  readonly slot: string;
  /** A folder in memory that only root can read. */
  readonly mountPoint: string;
}

// <sys/mount.h>: MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT
const readOnly = 1;
const secure = 2 | 4 | 8;
const remount = 32;
const privateFolder = 0o700;

export function createBootPartition({ calls, device, slot, mountPoint }: BootPartitionInit): BootPartition {
  const target = cString(mountPoint);
  const mount = (source: string, flags: number) =>
    calls.mount(cString(source), target, cString('ext4'), flags | secure, cString(''));

  async function read<T>(work: (folder: string) => Promise<T>, source?: string): Promise<T> {
    const found = source ?? (await device());
    if (found === undefined) throw new Fault('failed-precondition', 'no disk has a partition BOOT');
    await makeFolder(mountPoint, privateFolder);
    // The files of the image keep the file system in use, read-only: another mount of it has to begin like that, too.
    mount(found, readOnly);
    try {
      return await work(join(mountPoint, slot));
    } finally {
      calls.detachMount(target);
    }
  }

  return {
    read: (work) => read(work),
    async write(work) {
      const source = await device();
      const begin = () => mount(source ?? '', remount);
      // This writes what the partition has in memory, before it returns. Source: Linux, fs/ext4/super.c. To sync all file systems would
      // keep this process waiting for what containers write.
      const end = () => mount(source ?? '', remount | readOnly);
      return read(async (folder) => {
        begin();
        try {
          return await work(folder, () => {
            end();
            begin();
          });
        } finally {
          end();
        }
      }, source);
    },
  };
}
