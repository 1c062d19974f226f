import { partitionTypes } from '@nodewright/disk';
import { parseByteSize, parseSizeLimit } from '@nodewright/machine-config';
import type {
  BlockMountStatusSpec,
  MountRequestSpec,
  VolumeConfigSpec,
  VolumeMountRequestSpec,
  VolumeMountStatusSpec,
  VolumeStatusSpec,
} from '@nodewright/state/kinds';
import { blockMountStatuses, mountRequests, volumeConfigs, volumeStatuses } from '@nodewright/state/kinds';
import { decimalSize } from '../../base/domain/decimal-size.ts';
import type { MaxBytes, PartitionWish } from './change-partitions.ts';
import { systemDiskSelector } from './selected-disk.ts';
import type { OverlayFolders, PreparedVolume } from './volume-partitions.ts';

// The volumes that every node has. On a machine META, STATE and EPHEMERAL are partitions of the system disk; on a node of
// processes or of containers each volume is a folder, and META is a file.

/** The labels of a system volume. Source: Talos v1.14: COSI resources, volumes. */
export const systemVolumeLabels: Readonly<Record<string, string>> = { 'talos.dev/system-volume': '' };

/**
 * The requester that keeps the system volumes mounted while the node runs. Source: Talos v1.14: mount status.
 */
const requester = 'sequencer';

interface SystemVolume {
  readonly id: string;
  /** Where the node has partitions, the volume is one of them. */
  readonly partition?: VolumeConfigSpec['provisioning']['partitionSpec'];
  /** Of the partition; `xfs` by default. */
  readonly fileSystem?: VolumeConfigSpec['provisioning']['filesystemSpec']['type'];
  /** Absolute, or relative to the folder of the parent. */
  readonly targetPath: string;
  readonly parentId?: string;
  readonly fileMode: number;
  readonly secure?: boolean;
  readonly noExec?: boolean;
  readonly projectQuotaSupport?: boolean;
  /** Where the node has partitions, the volume is an overlay: the folder of the root, with changes that are kept on the parent. */
  readonly isOverlay?: true;
}

const mib = 1 << 20;
const none = { relativeMaxSize: 0, negativeMaxSize: false, grow: false, typeUUID: partitionTypes.linux };

const metaVolume: SystemVolume = {
  ...{ id: 'META', targetPath: '', fileMode: 0, fileSystem: 'none' },
  partition: { ...none, label: 'META', minSize: mib, maxSize: mib },
};
/** Source: Talos v1.14: partitions. */
const stateVolume: SystemVolume = {
  ...{ id: 'STATE', targetPath: '/system/state', fileMode: 0o700, secure: true, noExec: true },
  partition: { ...none, label: 'STATE', minSize: 100 * mib, maxSize: 100 * mib },
};
const ephemeralVolume: SystemVolume = {
  ...{ id: 'EPHEMERAL', targetPath: '/var', fileMode: 0o755, projectQuotaSupport: true },
  partition: { ...none, label: 'EPHEMERAL', minSize: 2048 * mib, maxSize: 0, grow: true },
};
/** Part of the disk image, and never created or changed by a machine. Source: Talos v1.14: image cache. */
const imageCacheVolume: SystemVolume = {
  ...{ id: 'IMAGECACHE', targetPath: '/system/imagecache/disk', fileMode: 0o755, secure: true, noExec: true },
  partition: { ...none, label: 'IMAGECACHE', minSize: 0, maxSize: 0 },
  fileSystem: 'ext4',
};
const logVolume: SystemVolume = { id: 'LOG', targetPath: 'log', parentId: 'EPHEMERAL', fileMode: 0o755 };
const etcdVolume: SystemVolume = {
  ...{ id: 'ETCD', targetPath: 'lib/etcd', parentId: 'EPHEMERAL', fileMode: 0o700 },
};
/** Only its user may look into it. */
const criVolume: SystemVolume = {
  ...{ id: 'CRI', targetPath: 'lib/containerd', parentId: 'EPHEMERAL', fileMode: 0 },
};

/** Programs of pods add files to it, such as plugins for the network. Source: Talos v1.14: COSI resources, volume ids. */
const optVolume: SystemVolume = {
  ...{
    id: '/opt',
    targetPath: '/opt',
    parentId: 'EPHEMERAL',
    fileMode: 0o755,
    secure: true,
    isOverlay: true,
  },
};

/** A spec with empty fields. */
const empty = <S>({ codec }: { readonly codec: { fromProto(bytes: Uint8Array): S } }): S =>
  codec.fromProto(new Uint8Array());

export interface SystemVolumesInit {
  /** Undefined without a configuration. */
  readonly machineType: string | undefined;
  readonly hasPartitions: boolean;
  /** The system disk has images. */
  readonly hasImageCache?: boolean;
  /** The node runs containerd. */
  readonly hasContainers?: boolean;
  /** `provisioning` of the document VolumeConfig for EPHEMERAL. */
  readonly ephemeral?: VolumeProvisioning | undefined;
}

/** Sizes as in a document: `10GiB`, `50%`, `-1GiB`; empty texts are not set. */
export interface VolumeProvisioning {
  /** CEL expression; empty when the document has none. */
  readonly diskSelector: string;
  readonly minSize: string;
  readonly maxSize: string;
  readonly grow: boolean | undefined;
}

/**
 * The volumes of a node, parents first: META and IMAGECACHE (partitions), STATE, and with a configuration those below `/var`. Volumes
 * of programs that it does not run, such as KUBELET, are left out. Source: Talos v1.14: COSI resources, volume ids.
 */
export function systemVolumes({
  machineType,
  hasPartitions,
  hasImageCache = false,
  hasContainers = false,
  ephemeral,
}: SystemVolumesInit): { readonly id: string; readonly spec: VolumeConfigSpec }[] {
  const isControlPlane = machineType === 'controlplane' || machineType === 'init';
  const below =
    machineType === undefined
      ? []
      : [
          ...[ephemeralVolume, logVolume],
          ...(hasContainers ? [criVolume] : []),
          ...(hasContainers && hasPartitions ? [optVolume] : []),
        ];
  const ofImage = [...(hasPartitions ? [metaVolume] : []), ...(hasImageCache ? [imageCacheVolume] : [])];
  const all = [...ofImage, stateVolume, ...below];
  return [...all, ...(isControlPlane ? [etcdVolume] : [])].map(
    ({ id, parentId = '', partition, fileSystem = 'xfs', isOverlay = false, ...mount }) => {
      const unset = empty(volumeConfigs);
      const shared = {
        ...unset,
        parentId,
        mount: { ...unset.mount, parentId, secure: false, noExec: false, ...mount },
      };
      if (isOverlay) return { id, spec: { ...shared, type: 'overlay' } };
      if (!hasPartitions || partition === undefined) return { id, spec: { ...shared, type: 'directory' } };
      // They are found, and never created.
      const isOfImage = ofImage.some((volume) => volume.id === id);
      const own = id === 'EPHEMERAL' ? ephemeral : undefined;
      return {
        id,
        spec: {
          ...shared,
          type: 'partition',
          locator: { ...unset.locator, match: `volume.partition_label == '${id}'` },
          provisioning: {
            ...unset.provisioning,
            // The system disk comes before the disks of users. Source: Talos v1.14: volumes.
            wave: -1,
            diskSelector: {
              ...unset.provisioning.diskSelector,
              match: isOfImage ? '' : own?.diskSelector || systemDiskSelector,
            },
            partitionSpec: withSizes(partition, own),
            filesystemSpec: {
              ...unset.provisioning.filesystemSpec,
              ...(fileSystem === 'none' ? {} : { type: fileSystem, label: id }),
            },
          },
        },
      };
    },
  );
}

type PartitionSpec = VolumeConfigSpec['provisioning']['partitionSpec'];

/** The sizes of a document, in place of the defaults. */
function withSizes(spec: PartitionSpec, sizes: VolumeProvisioning | undefined): PartitionSpec {
  if (sizes === undefined) return spec;
  const limit = parseSizeLimit(sizes.maxSize);
  const minSize = Number(parseByteSize(sizes.minSize) ?? spec.minSize);
  const own = { ...spec, minSize, grow: sizes.grow ?? spec.grow };
  if (limit === undefined) return own;
  const negativeMaxSize = limit.kind === 'left-free' || limit.kind === 'percent-left-free';
  if ('percent' in limit) return { ...own, negativeMaxSize, relativeMaxSize: limit.percent };
  return { ...own, negativeMaxSize, maxSize: Number(limit.bytes) };
}

/** What to find or create on the system disk for a volume. */
export function partitionWishOf({ provisioning }: Pick<VolumeConfigSpec, 'provisioning'>): PartitionWish {
  const { label, minSize, maxSize, relativeMaxSize, negativeMaxSize, grow } = provisioning.partitionSpec;
  return { label, minBytes: minSize, maxBytes: maxBytesOf(), grows: grow };

  function maxBytesOf(): MaxBytes {
    if (relativeMaxSize > 0)
      return negativeMaxSize ? { leaveFreePercent: relativeMaxSize } : { percent: relativeMaxSize };
    if (maxSize === 0) return undefined;
    return negativeMaxSize ? { leaveFreeBytes: maxSize } : maxSize;
  }
}

const wishOf = ({ partition }: SystemVolume): PartitionWish =>
  partitionWishOf({
    provisioning: { ...empty(volumeConfigs).provisioning, partitionSpec: partition as PartitionSpec },
  });

/** What the start of a machine prepares before there are resources. */
export const stateWish = wishOf(stateVolume);
export const imageCacheWish = wishOf(imageCacheVolume);

/** The status of a volume that is a partition. */
export function partitionVolumeStatus(config: VolumeConfigSpec, made: MadePartition): VolumeStatusSpec {
  const own = { type: config.type, parentID: config.parentId, mountSpec: config.mount };
  if ('failure' in made) return { ...empty(volumeStatuses), ...own, ...failedAs('waiting', made.failure) };
  const { device, disk, number, guid, sizeBytes, contents } = made;
  return {
    ...empty(volumeStatuses),
    ...own,
    phase: 'ready',
    location: device,
    mountLocation: device,
    parentLocation: disk,
    partitionIndex: number,
    partitionUUID: guid,
    uuid: contents?.uuid ?? '',
    size: sizeBytes,
    prettySize: decimalSize(sizeBytes),
    filesystem: config.provisioning.filesystemSpec.type,
  };
}

/** A partition, or why there is none. */
export type MadePartition = { readonly failure: string } | PreparedVolume;

function failedAs(preFailPhase: VolumeStatusSpec['phase'], errorMessage: string) {
  return { phase: 'failed', preFailPhase, errorMessage } as const;
}

const noSuid = 2;
const noDevices = 4;
const noPrograms = 8;
const readOnlyMount = 1;
const noAccessTimes = 1 << 10;
const relativeTimes = 1 << 21;

/** The options of mount(2) for a request of a partition. */
export function mountOptionsOf(
  { readOnly, secure, noExec, disableAccessTime }: MountRequestSpec,
  { projectQuotaSupport }: Pick<VolumeConfigSpec['mount'], 'projectQuotaSupport'>,
): { readonly flags: number; readonly options: string } {
  const flags =
    (readOnly ? readOnlyMount : 0) |
    (secure ? noSuid | noDevices : 0) |
    (noExec ? noPrograms : 0) |
    (disableAccessTime ? noAccessTimes : relativeTimes);
  return { flags, options: projectQuotaSupport ? 'prjquota' : '' };
}

/** The mount of STATE at the start of a machine. */
export const mountOptionsOfState = {
  flags: noSuid | noDevices | noPrograms | relativeTimes,
  options: '',
  target: stateVolume.targetPath,
  mode: stateVolume.fileMode,
};

/** The mount of the images on the disk, before there are resources. */
export const mountOptionsOfImageCache = {
  flags: readOnlyMount | noSuid | noDevices | noPrograms | relativeTimes,
  options: '',
  target: imageCacheVolume.targetPath,
  mode: imageCacheVolume.fileMode,
};

/** The options of an overlay: programs may run from it, but without the rights of the owner of their file, and it has no devices. */
export const mountOptionsOfOverlay = noSuid | noDevices;

/** The mount of a partition. */
export function partitionMount(
  request: MountRequestSpec,
  target: string,
  { mountLocation, filesystem, mountSpec }: VolumeStatusSpec,
): BlockMountStatusSpec {
  const { projectQuotaSupport } = mountSpec;
  return { ...directoryMount(request, target), source: mountLocation, filesystem, projectQuotaSupport };
}
/** The mount request for each of these volumes. */
export function requestOfVolume({ mount }: VolumeConfigSpec, volumeID: string): VolumeMountRequestSpec {
  const { secure, noExec } = mount;
  const readOnly = volumeID === imageCacheVolume.id;
  const shared = { readOnly, detached: false, disableAccessTime: false };
  return { volumeID, requester, ...shared, secure, noExec };
}

/** The path of a volume on the node, below that of its parent. Undefined while the parent is unknown. */
export function pathOfVolume(
  id: string,
  volumes: ReadonlyMap<
    string,
    { readonly parentId: string; readonly mount: { readonly targetPath: string } }
  >,
): string | undefined {
  const volume = volumes.get(id);
  if (volume === undefined) return undefined;
  const { targetPath } = volume.mount;
  if (volume.parentId === '' || targetPath.startsWith('/')) return targetPath;
  const parent = volume.parentId === id ? undefined : pathOfVolume(volume.parentId, volumes);
  return parent === undefined ? undefined : `${parent}/${targetPath}`;
}

/** The result of creating a volume's folder: the size of its file system in bytes, or the failure. */
export type MadeFolder = { readonly sizeBytes: bigint } | { readonly failure: string };

/** The status of a volume that is a folder. */
export function directoryVolumeStatus(config: VolumeConfigSpec, made: MadeFolder): VolumeStatusSpec {
  const own = { type: config.type, parentID: config.parentId, mountSpec: config.mount };
  if ('failure' in made) {
    return { ...empty(volumeStatuses), ...own, ...failedAs('located', made.failure) };
  }
  const size = Number(made.sizeBytes);
  return {
    ...empty(volumeStatuses),
    ...own,
    phase: 'ready',
    size,
    prettySize: decimalSize(size),
  };
}

/** The status of a folder whose parent is not mounted yet. */
export function waitingVolumeStatus({ type, parentId, mount }: VolumeConfigSpec): VolumeStatusSpec {
  return { ...empty(volumeStatuses), phase: 'waiting', type, parentID: parentId, mountSpec: mount };
}

/** A request with its id. */
export interface NamedRequest {
  readonly id: string;
  readonly spec: VolumeMountRequestSpec;
}

/**
 * One mount for all requests of each ready volume: read-only if all requests are, and with the most
 * permissive of their options. Source: Talos v1.14: COSI resources, MountRequests.
 */
export function mountRequestsOf(
  requests: readonly NamedRequest[],
  volumes: ReadonlyMap<string, Pick<VolumeStatusSpec, 'phase' | 'parentID'>>,
): { readonly id: string; readonly spec: MountRequestSpec }[] {
  const byVolume = Map.groupBy(requests, ({ spec }) => spec.volumeID);
  return [...byVolume].flatMap(([volumeID, all]) => {
    const volume = volumes.get(volumeID);
    if (volume?.phase !== 'ready') return [];
    const wantedByAll = (what: 'readOnly' | 'detached' | 'disableAccessTime' | 'secure' | 'noExec') =>
      all.every(({ spec }) => spec[what]);
    const spec: MountRequestSpec = {
      ...empty(mountRequests),
      volumeID,
      parentID: volume.parentID,
      readOnly: wantedByAll('readOnly'),
      detached: wantedByAll('detached'),
      disableAccessTime: wantedByAll('disableAccessTime'),
      secure: wantedByAll('secure'),
      noExec: wantedByAll('noExec'),
      requesters: all.map(({ spec }) => spec.requester),
      requesterIDs: all.map(({ id }) => id),
    };
    return [{ id: volumeID, spec }];
  });
}

/** The folders of an overlay on EPHEMERAL. Source: Talos v1.14: overlays. */
export function overlayFolders(target: string): OverlayFolders {
  const folder = `/var/system/overlays/${target.slice(1).replaceAll('/', '-')}`;
  return { target, changes: `${folder}-diff`, work: `${folder}-workdir` };
}

/** The mount of a folder: it has no source, and exists as soon as the folder does. */
export function directoryMount(request: MountRequestSpec, target: string): BlockMountStatusSpec {
  const { readOnly, detached } = request;
  return { ...empty(blockMountStatuses), spec: request, target, readOnly, detached };
}

/** The status for each request of a mount, under the id of the request. */
export function volumeMountsOf({
  spec: { requesters, requesterIDs, volumeID, disableAccessTime, secure, noExec },
  ...mount
}: BlockMountStatusSpec): { readonly id: string; readonly spec: VolumeMountStatusSpec }[] {
  const { target, readOnly, detached } = mount;
  return requesterIDs.map((id, at) => ({
    id,
    spec: {
      ...{ volumeID, target, readOnly, detached, disableAccessTime, secure, noExec },
      requester: requesters[at] ?? '',
    },
  }));
}
