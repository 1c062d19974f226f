// The volumes of the system. No other source names one: what a reset wipes, what a document may set, what is mounted where and what
// the documentation says follow from these rows (tests/house/volume-names.test.ts).

/** Ids, which are also the labels of partitions. Source: Talos v1.14: COSI resources, volume ids. */
export const volumeIds = {
  meta: 'META',
  state: 'STATE',
  ephemeral: 'EPHEMERAL',
  imageCache: 'IMAGECACHE',
  etcd: 'ETCD',
  cri: 'CRI',
  kubelet: 'KUBELET',
  log: 'LOG',
  opt: '/opt',
} as const;
export type VolumeId = (typeof volumeIds)[keyof typeof volumeIds];

/** Sections of a document VolumeConfig. */
export const volumeSections = ['provisioning', 'encryption', 'filesystem', 'mount', 'trim', 'scrub'] as const;
export type VolumeSection = (typeof volumeSections)[number];

/** How a machine gets the partition of a volume. */
export interface VolumePartitionRow {
  readonly minBytes: number;
  /** Undefined: all that is free. */
  readonly maxBytes?: number;
  /** An existing partition grows into the free space behind it. */
  readonly grows?: true;
  readonly fileSystem: 'none' | 'xfs' | 'ext4';
  /** The disk image brings it: it is found, and never created, formatted or grown. */
  readonly isOfImage?: true;
}

export interface VolumeRow {
  readonly id: VolumeId;
  /** What it holds, for users. */
  readonly help: string;
  /** The volume that it is a folder of. */
  readonly parent?: VolumeId;
  /** Where it is mounted: absolute, or relative to the path of the parent. Empty for a volume that is not mounted. */
  readonly path: string;
  /** Of its folder. */
  readonly mode: number;
  readonly secure?: true;
  readonly noExec?: true;
  readonly readOnly?: true;
  readonly projectQuota?: true;
  /** On a machine: undefined for a volume that is a folder there too. */
  readonly partition?: VolumePartitionRow;
  /** On a machine it is an overlay: the folder of the root, with changes that are kept on the parent. */
  readonly isOverlay?: true;
  /**
   * Which node has it. `partitions`: one with partitions; `image`: one whose disk has it already; `configured`: one with a configuration,
   * and of those, `control-plane` nodes, nodes that run `containers`, and those that have `overlays` as well. `none`: documents and resets may
   * name it, and no node makes it.
   */
  readonly on:
    | 'every'
    | 'partitions'
    | 'image'
    | 'configured'
    | 'control-plane'
    | 'containers'
    | 'overlays'
    | 'none';
  /** What wipes it: a reset that names it, one that names its parent, or only one of the whole disk. */
  readonly wipedBy: 'own' | 'parent' | 'disk';
  /** A machine is not ready while it has failed. */
  readonly isVital?: true;
  /** The sections that its document may have; undefined when no document may name it. */
  readonly sections?: readonly VolumeSection[];
  /** The fields of its document that a machine acts on. */
  readonly acts?: readonly string[];
  /** Its keys cannot depend on STATE. */
  readonly refusesLockToState?: true;
  /** On a partition of its own, `mount.secure` means noexec as well. Source: Talos v1.14: volumes. */
  readonly isNoExecWhenSecure?: true;
}

const mib = 1 << 20;
const all = volumeSections;

/** Parents first. Source: Talos v1.14: COSI resources, volumes; partitions; image cache. */
export const volumeTable: readonly VolumeRow[] = [
  {
    ...{ id: 'META', help: 'values that outlive a reset of the other volumes', path: '', mode: 0 },
    partition: { minBytes: mib, maxBytes: mib, fileSystem: 'none', isOfImage: true },
    ...{ on: 'partitions', wipedBy: 'own', isVital: true },
  },
  {
    ...{ id: 'STATE', help: 'the machine configuration and the identity of the node' },
    ...{ path: '/system/state', mode: 0o700, secure: true, noExec: true },
    partition: { minBytes: 100 * mib, maxBytes: 100 * mib, fileSystem: 'xfs' },
    ...{ on: 'every', wipedBy: 'own', isVital: true },
    ...{ sections: ['encryption', 'filesystem', 'trim', 'scrub'], refusesLockToState: true },
  },
  {
    ...{ id: 'EPHEMERAL', help: 'data of containers, of Kubernetes and of etcd' },
    ...{ path: '/var', mode: 0o755, projectQuota: true },
    partition: { minBytes: 2048 * mib, fileSystem: 'xfs', grows: true },
    ...{ on: 'configured', wipedBy: 'own', isVital: true, sections: all },
    acts: [
      'provisioning.diskSelector.match',
      'provisioning.minSize',
      'provisioning.maxSize',
      'provisioning.grow',
    ],
  },
  {
    ...{ id: 'IMAGECACHE', help: 'images that the disk image brings' },
    ...{ path: '/system/imagecache/disk', mode: 0o755, secure: true, noExec: true, readOnly: true },
    partition: { minBytes: 0, fileSystem: 'ext4', isOfImage: true },
    ...{ on: 'image', wipedBy: 'disk', sections: ['provisioning', 'encryption', 'trim', 'scrub'] },
  },
  {
    ...{ id: 'ETCD', help: 'the database of etcd', parent: 'EPHEMERAL', path: 'lib/etcd', mode: 0o700 },
    ...{ on: 'control-plane', wipedBy: 'parent', sections: all, isNoExecWhenSecure: true },
  },
  {
    // Only its user may look into it.
    ...{ id: 'CRI', help: 'images and containers', parent: 'EPHEMERAL', path: 'lib/containerd', mode: 0 },
    ...{ on: 'containers', wipedBy: 'parent', sections: all },
  },
  {
    ...{ id: 'KUBELET', help: 'data of the kubelet', parent: 'EPHEMERAL', path: 'lib/kubelet', mode: 0o700 },
    ...{ on: 'none', wipedBy: 'parent', sections: all },
  },
  {
    ...{ id: 'LOG', help: 'logs of services', parent: 'EPHEMERAL', path: 'log', mode: 0o755 },
    ...{ on: 'configured', wipedBy: 'parent', sections: all, isNoExecWhenSecure: true },
  },
  {
    // Programs of pods add files to it, such as plugins for the network.
    ...{ id: '/opt', help: 'what programs of pods install', parent: 'EPHEMERAL' },
    ...{ path: '/opt', mode: 0o755, secure: true, isOverlay: true, on: 'overlays', wipedBy: 'parent' },
  },
];

/** The row of a volume. @throws Error for an id that is not in the table */
export function volumeRow(id: VolumeId): VolumeRow {
  const row = volumeTable.find((one) => one.id === id);
  if (row === undefined) throw new Error(`there is no volume ${id}`);
  return row;
}

/** The volumes that a reset may wipe each for itself. */
export const wipeableVolumes = volumeTable.filter(({ wipedBy }) => wipedBy === 'own').map(({ id }) => id);

/** The volumes that documents may name. */
export const configurableVolumes = volumeTable.filter(({ sections }) => sections !== undefined);

/** Whether a document is for a folder of another volume, unless it gives the volume a partition of its own. */
export const isFolderVolume = ({ partition, isOverlay }: VolumeRow): boolean =>
  partition === undefined && isOverlay === undefined;

/** The volume whose document may set this field with an effect. @throws Error unless exactly one volume has it in `acts` */
export function volumeWithActing(field: string): VolumeId {
  const [only, ...others] = volumeTable.filter(({ acts }) => acts?.includes(field));
  if (only === undefined || others.length > 0) throw new Error(`not one volume acts on ${field}`);
  return only.id;
}

/** Where a volume is mounted on the node; empty for one that is not. */
export function volumePath({ parent, path }: Pick<VolumeRow, 'parent' | 'path'>): string {
  return parent === undefined || path.startsWith('/') ? path : `${volumePath(volumeRow(parent))}/${path}`;
}

/** Partitions of the disk image that are no volumes: the firmware and the boot loader read them. */
export const startPartitions = { efi: 'EFI', bios: 'BIOS', boot: 'BOOT' } as const;
