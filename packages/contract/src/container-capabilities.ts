/** A capability of a container that is a whole node. */
export interface ContainerCapability {
  /** As an engine expects it in `--cap-add`. */
  readonly name: string;
  /** As in <linux/capability.h>. */
  readonly number: number;
  /** What the node does with it. */
  readonly why: string;
}

/**
 * What a container that is a whole node asks its engine for, instead of `--privileged`. Those that would let it end, change or
 * overhear its host are not among them: SYS_BOOT, SYS_MODULE, SYS_TIME, SYS_RAWIO and SYSLOG.
 */
export const containerCapabilities: readonly ContainerCapability[] = [
  { name: 'AUDIT_WRITE', number: 29, why: 'containers have it by default' },
  {
    name: 'CHOWN',
    number: 0,
    why: 'gives files to the users of apid, trustd and etcd, and those of images to theirs',
  },
  { name: 'DAC_OVERRIDE', number: 1, why: 'reads and writes files of those users' },
  { name: 'FOWNER', number: 3, why: 'changes modes and times of those files' },
  { name: 'FSETID', number: 4, why: 'keeps set-uid bits of files of images' },
  { name: 'KILL', number: 5, why: 'stops services that have users of their own' },
  { name: 'MKNOD', number: 27, why: 'makes /dev of a container, such as /dev/null' },
  { name: 'NET_ADMIN', number: 12, why: 'sets up the networks of pods, in the network of this node' },
  { name: 'NET_BIND_SERVICE', number: 10, why: 'lets containers listen on ports below 1024' },
  { name: 'NET_RAW', number: 13, why: 'captures packets of this node (talosctl pcap)' },
  { name: 'SETFCAP', number: 31, why: 'unpacks files of images that have capabilities' },
  { name: 'SETGID', number: 6, why: 'starts services in groups of their own' },
  { name: 'SETPCAP', number: 8, why: 'takes capabilities from services and containers' },
  { name: 'SETUID', number: 7, why: 'starts services as users of their own' },
  { name: 'SYS_ADMIN', number: 21, why: 'makes the mounts, namespaces and control groups of containers' },
  { name: 'SYS_CHROOT', number: 18, why: 'enters the mount namespace of a container' },
  { name: 'SYS_PTRACE', number: 19, why: 'reads namespaces and sockets of processes of other users' },
];
