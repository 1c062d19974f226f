import { isFolderVolume, volumeIds, volumePath, volumeRow, volumeTable } from '@nodewright/contract/volumes';

/** A file system that machined mounts as the first process of a machine. */
export interface MachineMount {
  readonly target: string;
  readonly type: string;
  /** `MS_*` flags of mount(2). */
  readonly flags: number;
  readonly data: string;
}

const noSuid = 2;
const noDevices = 4;
const noPrograms = 8;
const relativeTimes = 1 << 21;
const secure = noSuid | noDevices | noPrograms;

/** The hierarchy of control groups. In a cgroup namespace its top is the own group. */
export const cgroupMount: MachineMount = {
  target: '/sys/fs/cgroup',
  type: 'cgroup2',
  flags: secure | relativeTimes,
  data: 'nsdelegate,memory_recursiveprot',
};

/** The file systems that the init leaves to machined, in their order. Source: Talos v1.14: pseudo file systems. */
export const machineMounts: readonly MachineMount[] = [
  { target: '/run', type: 'tmpfs', flags: secure | relativeTimes, data: 'mode=0755' },
  { target: '/system', type: 'tmpfs', flags: secure | relativeTimes, data: 'mode=0755' },
  { target: '/tmp', type: 'tmpfs', flags: secure, data: 'mode=0755,size=64M' },
  cgroupMount,
];

/** `/var` of a machine whose disk has no place for EPHEMERAL. */
export const varInMemory: MachineMount = {
  ...{
    target: volumePath(volumeRow(volumeIds.ephemeral)),
    type: 'tmpfs',
    flags: noSuid | noDevices,
    data: 'mode=0755,size=50%',
  },
};

/** Where volumes are mounted, children first. */
const volumeFolders = volumeTable
  .filter((volume) => volume.path !== '' && !isFolderVolume(volume))
  .map(volumePath)
  .toReversed();
/** Below them containers have their file systems, which keep a volume in use. */
const foldersOfMounts = ['/run/containerd/', '/run/netns/', '/var/'];

/**
 * What to detach before the machine ends, in this order: the mounts of containers, the last one first, then the volumes.
 *
 * @param mounts the mount points, in the order in which they were mounted
 */
export function mountsToDetach(mounts: readonly string[]): string[] {
  const inner = mounts.filter((path) => foldersOfMounts.some((folder) => path.startsWith(folder)));
  return [...inner.reverse(), ...volumeFolders];
}

/** Folders below these mounts, with their modes. Source: Talos v1.14: directories. */
export const machineFolders: readonly { readonly path: string; readonly mode: number }[] = [
  { path: '/system/etc', mode: 0o700 },
  { path: '/system/var', mode: 0o700 },
  { path: volumePath(volumeRow(volumeIds.state)), mode: volumeRow(volumeIds.state).mode },
  { path: '/system/run', mode: 0o751 },
  { path: '/system/imagecache', mode: 0o755 },
  { path: volumePath(volumeRow(volumeIds.imageCache)), mode: volumeRow(volumeIds.imageCache).mode },
  { path: '/system/overlays', mode: 0o700 },
  { path: '/system/overlays/etc', mode: 0o755 },
  { path: '/system/overlays/etc-work', mode: 0o755 },
];

/** Makes `/etc` writable above the read-only root. It follows the folders. */
export const etcMount: MachineMount = {
  target: '/etc',
  type: 'overlay',
  flags: secure,
  data: 'lowerdir=/etc,upperdir=/system/overlays/etc,workdir=/system/overlays/etc-work',
};
