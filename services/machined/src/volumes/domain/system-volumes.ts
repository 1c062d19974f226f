import {
  type VolumePartitionRow,
  type VolumeRow,
  volumeIds,
  volumePath,
  volumeRow,
  volumeTable,
} from '@nodewright/contract/volumes';
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
import type { MountWish, PlannedVolume, VolumePlan } from './plan/volume-plan.ts';
import { volumeWaves } from './plan/volume-plan.ts';
import { systemDiskSelector } from './selected-disk.ts';

// The volumes of a node, from the table of volumes. On a machine some are partitions; on a node of processes or of containers each
// is a folder, and META is a file.

/** The labels of a system volume. Source: Talos v1.14: COSI resources, volumes. */
export const systemVolumeLabels: Readonly<Record<string, string>> = { 'talos.dev/system-volume': '' };

/**
 * The requester that keeps the system volumes mounted while the node runs. Source: Talos v1.14: mount status.
 */
const requester = 'sequencer';

/** A spec with empty fields. */
const empty = <S>({ codec }: { readonly codec: { fromProto(bytes: Uint8Array): S } }): S =>
  codec.fromProto(new Uint8Array());

/** A volume that the configuration wants. */
export interface NamedVolume {
  readonly id: string;
  readonly spec: VolumeConfigSpec;
}

export interface SystemVolumesInit {
  /** Undefined without a configuration. */
  readonly machineType: string | undefined;
  readonly hasPartitions: boolean;
  /** The system disk has images. */
  readonly hasImageCache?: boolean;
  /** The node runs containerd. */
  readonly hasContainers?: boolean;
  /** `provisioning` of the documents VolumeConfig, by volume. Only those of volumes that act on them count. */
  readonly provisioning?: ReadonlyMap<string, VolumeProvisioning>;
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
export function systemVolumes(node: SystemVolumesInit): NamedVolume[] {
  const { hasPartitions, provisioning } = node;
  return volumeTable
    .filter(({ on }) => isOn[on](node))
    .map((row) => ({
      id: row.id,
      spec: specOf(row, hasPartitions, row.acts && provisioning?.get(row.id)),
    }));
}

/** A partial configuration, as a node in maintenance may have it, has the type `unknown`: it is not known yet what the node will run. */
function hasMachineType({ machineType }: SystemVolumesInit): boolean {
  return machineType !== undefined && machineType !== 'unknown';
}

/** Whether a node has the volumes of a row. */
const isOn: Readonly<Record<VolumeRow['on'], (node: SystemVolumesInit) => boolean>> = {
  every: () => true,
  partitions: ({ hasPartitions }) => hasPartitions,
  image: ({ hasImageCache = false }) => hasImageCache,
  configured: hasMachineType,
  'control-plane': ({ machineType }) => machineType === 'controlplane' || machineType === 'init',
  containers: (node) => hasMachineType(node) && (node.hasContainers ?? false),
  overlays: (node) => hasMachineType(node) && (node.hasContainers ?? false) && node.hasPartitions,
  none: () => false,
};

function specOf(
  row: VolumeRow,
  hasPartitions: boolean,
  own: VolumeProvisioning | undefined,
): VolumeConfigSpec {
  const unset = empty(volumeConfigs);
  const { id, parent = '', path, mode, partition } = row;
  const mount = {
    ...{ ...unset.mount, parentId: parent, targetPath: path, fileMode: mode },
    ...{ secure: row.secure ?? false, noExec: row.noExec ?? false },
    ...(row.projectQuota && { projectQuotaSupport: true }),
  };
  const shared = { ...unset, parentId: parent, mount };
  if (row.isOverlay) return { ...shared, type: 'overlay' };
  if (!hasPartitions || partition === undefined) return { ...shared, type: 'directory' };
  const { fileSystem, isOfImage = false } = partition;
  return {
    ...shared,
    type: 'partition',
    locator: { ...unset.locator, match: `volume.partition_label == '${id}'` },
    provisioning: {
      ...unset.provisioning,
      wave: volumeWaves.system,
      // What the image brings is found, and never created.
      diskSelector: {
        ...unset.provisioning.diskSelector,
        match: isOfImage ? '' : own?.diskSelector || systemDiskSelector,
      },
      partitionSpec: withSizes(partitionSpecOf(id, partition), own),
      filesystemSpec: {
        ...unset.provisioning.filesystemSpec,
        ...(fileSystem === 'none' ? {} : { type: fileSystem, label: id }),
      },
    },
  };
}

const partitionSpecOf = (
  label: string,
  { minBytes, maxBytes = 0, grows }: VolumePartitionRow,
): PartitionSpec => ({
  ...{ label, minSize: minBytes, maxSize: maxBytes, relativeMaxSize: 0, negativeMaxSize: false },
  ...{ grow: grows === true, typeUUID: partitionTypes.linux },
});

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

/** What a plan needs to know of a volume. @param volumes all of the node, by id */
export function plannedVolume(
  id: string,
  spec: VolumeConfigSpec,
  volumes: ReadonlyMap<string, VolumeConfigSpec>,
): PlannedVolume {
  const { type, provisioning, mount } = spec;
  const { type: fileSystem } = provisioning.filesystemSpec;
  return {
    ...{ id, mode: mount.fileMode, isOverlay: type === 'overlay' },
    path: pathOfVolume(id, new Map([...volumes, [id, spec]])),
    partition:
      type === 'partition'
        ? { wish: partitionWishOf(spec), fileSystem, selector: provisioning.diskSelector.match }
        : undefined,
  };
}

/** The status of a volume after its plan was carried out. */
export function volumeStatusOf(config: VolumeConfigSpec, plan: VolumePlan): VolumeStatusSpec {
  const own = {
    ...empty(volumeStatuses),
    ...{ type: config.type, parentID: config.parentId, mountSpec: config.mount },
  };
  if (plan.refusal !== undefined) return failedStatus(config, plan.refusal.message);
  if (plan.waitsFor !== undefined) return { ...own, phase: 'waiting' };
  if (plan.located === undefined) {
    const size = Number(plan.folderBytes ?? 0);
    return { ...own, phase: 'ready', size, prettySize: decimalSize(size) };
  }
  const { device, disk, number, guid, sizeBytes, contents } = plan.located;
  return {
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

/** The status of a volume that cannot be had for now. */
export function failedStatus(config: VolumeConfigSpec, errorMessage: string): VolumeStatusSpec {
  return {
    ...empty(volumeStatuses),
    ...{ type: config.type, parentID: config.parentId, mountSpec: config.mount },
    ...{ phase: 'failed', errorMessage },
    preFailPhase: config.type === 'partition' ? 'waiting' : 'located',
  };
}

const noSuid = 2;
const noDevices = 4;
const noPrograms = 8;
const readOnlyMount = 1;
const noAccessTimes = 1 << 10;
const relativeTimes = 1 << 21;

/** The options of mount(2) for a request of a partition. */
export function mountOptionsOf(
  {
    readOnly,
    secure,
    noExec,
    disableAccessTime,
  }: Pick<MountRequestSpec, 'readOnly' | 'secure' | 'noExec' | 'disableAccessTime'>,
  { projectQuotaSupport }: Pick<VolumeConfigSpec['mount'], 'projectQuotaSupport'>,
): MountWish {
  const flags =
    (readOnly ? readOnlyMount : 0) |
    (secure ? noSuid | noDevices : 0) |
    (noExec ? noPrograms : 0) |
    (disableAccessTime ? noAccessTimes : relativeTimes);
  return { flags, options: projectQuotaSupport ? 'prjquota' : '' };
}

/** The mount of a volume that the node itself requests. */
export const mountOfVolume = ({ id, spec }: NamedVolume): MountWish =>
  mountOptionsOf(requestOfVolume(spec, id), spec.mount);

/** The options of an overlay: programs may run from it, but without the rights of the owner of their file, and it has no devices. */
export const mountOptionsOfOverlay = noSuid | noDevices;

/** The mount of a partition. */
export function partitionMount(
  request: MountRequestSpec,
  target: string,
  { provisioning, mount }: Pick<VolumeConfigSpec, 'provisioning' | 'mount'>,
  source: string,
): BlockMountStatusSpec {
  const { projectQuotaSupport } = mount;
  const { type: filesystem } = provisioning.filesystemSpec;
  return { ...directoryMount(request, target), source, filesystem, projectQuotaSupport };
}

/** The mount request for each of these volumes. */
export function requestOfVolume({ mount }: VolumeConfigSpec, volumeID: string): VolumeMountRequestSpec {
  const { secure, noExec } = mount;
  const readOnly = volumeTable.some(({ id, readOnly: isSo }) => id === volumeID && isSo === true);
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

/** A request with its id. */
export interface NamedRequest {
  readonly id: string;
  readonly spec: VolumeMountRequestSpec;
}

/**
 * One mount for all requests of each ready volume: read-only if all requests are, and with the most
 * permissive of their options. Source: Talos v1.14: COSI resources, MountRequests.
 *
 * @param present the volumes that are mounted: a failure later is no reason to unmount one
 */
export function mountRequestsOf(
  requests: readonly NamedRequest[],
  volumes: ReadonlyMap<string, Pick<VolumeStatusSpec, 'phase' | 'parentID'>>,
  present: ReadonlySet<string> = new Set(),
): { readonly id: string; readonly spec: MountRequestSpec }[] {
  const byVolume = Map.groupBy(requests, ({ spec }) => spec.volumeID);
  return [...byVolume].flatMap(([volumeID, all]) => {
    const volume = volumes.get(volumeID);
    if (volume === undefined || (volume.phase !== 'ready' && !present.has(volumeID))) return [];
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

/** A folder of the root to which changes are added. */
export interface OverlayFolders {
  readonly target: string;
  /** Holds what was changed. */
  readonly changes: string;
  /** For the kernel alone, in the same file system as the changes. */
  readonly work: string;
}

/** The folders of an overlay on EPHEMERAL. Source: Talos v1.14: overlays. */
export function overlayFolders(target: string): OverlayFolders {
  const folder = `${volumePath(volumeRow(volumeIds.ephemeral))}/system/overlays/${target.slice(1).replaceAll('/', '-')}`;
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
