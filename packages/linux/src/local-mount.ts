import type { Mount } from './parse-mounts.ts';

/** File systems in memory, or of the kernel itself: they always answer. */
const withoutDisk: ReadonlySet<string> = new Set([
  ...['bdev', 'binfmt_misc', 'bpf', 'cgroup', 'cgroup2', 'configfs', 'debugfs', 'devpts', 'devtmpfs'],
  ...[
    'efivarfs',
    'fusectl',
    'hugetlbfs',
    'mqueue',
    'nsfs',
    'proc',
    'pstore',
    'ramfs',
    'rootfs',
    'securityfs',
  ],
  ...['selinuxfs', 'smackfs', 'sysfs', 'tmpfs', 'tracefs'],
]);

/** File systems on a disk of the machine. */
const onDisk: ReadonlySet<string> = new Set([
  ...['bcachefs', 'btrfs', 'erofs', 'exfat', 'ext2', 'ext3', 'ext4', 'f2fs', 'iso9660', 'msdos', 'overlay'],
  ...['squashfs', 'udf', 'vfat', 'xfs', 'zfs'],
]);

/** Below it are the volumes of pods: their disks may lie on another machine, which no name of a device shows. */
const podVolumes = '/var/lib/kubelet/';

/**
 * Whether the file system answers as long as the machine does: it is in memory, of the kernel, or on a disk that the machine
 * itself uses. All others may wait for a server, or for a program of a pod, without an end: NFS, FUSE, and every kind that is not
 * known.
 */
export function isLocalMount({ type, mountPoint }: Pick<Mount, 'type' | 'mountPoint'>): boolean {
  return withoutDisk.has(type) || (onDisk.has(type) && !mountPoint.startsWith(podVolumes));
}
