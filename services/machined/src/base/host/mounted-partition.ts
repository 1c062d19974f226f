import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { cString, type NativeCalls } from '@nodewright/linux';

/** A partition with files that a machine starts from. It is mounted while it is used only. */
export interface MountedPartition {
  /** @param work gets the folder of the partition. It must end all of its accesses */
  read<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /**
   * Writes happen one at a time.
   *
   * @param work also gets a function that returns once the disk has what was written so far; no file may be open for writing then
   */
  write<T>(work: (folder: string, flush: () => void) => Promise<T>): Promise<T>;
}

export interface MountedPartitionInit {
  readonly calls: Pick<NativeCalls, 'mount' | 'detachMount'>;
  /** Its name, for messages. */
  readonly label: string;
  readonly fileSystem: 'ext4' | 'vfat' | 'xfs';
  /** The partition; undefined when no disk has one. */
  readonly device: () => Promise<string | undefined>;
  /** A folder in memory that only root can read. */
  readonly mountPoint: string;
}

// <sys/mount.h>: MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT
const readOnly = 1;
const secure = 2 | 4 | 8;
const remount = 32;
const privateFolder = 0o700;

export function createMountedPartition(init: MountedPartitionInit): MountedPartition {
  const { calls, label, fileSystem, device, mountPoint } = init;
  const target = cString(mountPoint);
  const mount = (source: string, flags: number) =>
    calls.mount(cString(source), target, cString(fileSystem), flags | secure, cString(''));
  let users = 0;
  let mounted: Promise<string> | undefined;
  let lastWrite: Promise<unknown> = Promise.resolve();

  async function mountIt(): Promise<string> {
    const source = await device();
    if (source === undefined) throw new Fault('failed-precondition', `no disk has a partition ${label}`);
    await makeFolder(mountPoint, privateFolder);
    // The files of the image keep the file system of BOOT in use, read-only: another mount of it has to begin like that, too.
    mount(source, readOnly);
    return source;
  }

  /** Reads happen while something is written, too: all of them share one mount. */
  async function use<T>(work: (source: string) => Promise<T>): Promise<T> {
    users += 1;
    let isMounted = false;
    try {
      mounted ??= mountIt();
      const source = await mounted;
      isMounted = true;
      return await work(source);
    } finally {
      users -= 1;
      if (users === 0) {
        mounted = undefined;
        if (isMounted) calls.detachMount(target);
      }
    }
  }

  const write: MountedPartition['write'] = (work) =>
    use(async (source) => {
      const begin = () => mount(source, remount);
      // This writes what the partition has in memory, and ends the journal, before it returns. Source: Linux, fs/ext4/super.c. To sync
      // all file systems would keep this process waiting for what containers write.
      const end = () => mount(source, remount | readOnly);
      begin();
      try {
        return await work(mountPoint, () => {
          end();
          begin();
        });
      } finally {
        end();
      }
    });

  return {
    read: (work) => use(() => work(mountPoint)),
    write(work) {
      const result = lastWrite.then(() => write(work));
      lastWrite = result.catch(() => {});
      return result;
    },
  };
}
