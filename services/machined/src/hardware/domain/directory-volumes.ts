import type {
  BlockMountStatusSpec,
  MountRequestSpec,
  VolumeConfigSpec,
  VolumeMountRequestSpec,
  VolumeMountStatusSpec,
  VolumeStatusSpec,
} from '@nodewright/state/kinds';
import { blockMountStatuses, mountRequests, volumeConfigs, volumeStatuses } from '@nodewright/state/kinds';
import { decimalSize } from './decimal-size.ts';

// The volumes of nodes of processes and of containers. Such nodes have no partitions: each volume is a
// folder.

/** The labels of a system volume. Source: Talos v1.14: COSI resources, volumes. */
export const systemVolumeLabels: Readonly<Record<string, string>> = { 'talos.dev/system-volume': '' };

/**
 * The requester that keeps the system volumes mounted while the node runs. Source: Talos v1.14: mount status.
 */
const requester = 'sequencer';

interface SystemVolume {
  readonly id: string;
  /** Absolute, or relative to the folder of the parent. */
  readonly targetPath: string;
  readonly parentId?: string;
  readonly fileMode: number;
  readonly secure?: boolean;
  readonly noExec?: boolean;
}

const stateVolume: SystemVolume = {
  ...{ id: 'STATE', targetPath: '/system/state', fileMode: 0o700, secure: true, noExec: true },
};
const ephemeralVolume: SystemVolume = { id: 'EPHEMERAL', targetPath: '/var', fileMode: 0o755 };
const logVolume: SystemVolume = { id: 'LOG', targetPath: 'log', parentId: 'EPHEMERAL', fileMode: 0o755 };
const etcdVolume: SystemVolume = {
  ...{ id: 'ETCD', targetPath: 'lib/etcd', parentId: 'EPHEMERAL', fileMode: 0o700 },
};

/** A spec with empty fields. */
const empty = <S>({ codec }: { readonly codec: { fromProto(bytes: Uint8Array): S } }): S =>
  codec.fromProto(new Uint8Array());

/**
 * The volumes of such a node, parents first: STATE, and with a configuration those below `/var`. Volumes of
 * programs that it does not run, CRI and KUBELET, are left out. Source: Talos v1.14: COSI resources, volume
 * ids.
 *
 * @param machineType undefined without a configuration
 */
export function directoryVolumes(
  machineType: string | undefined,
): { readonly id: string; readonly spec: VolumeConfigSpec }[] {
  const isControlPlane = machineType === 'controlplane' || machineType === 'init';
  const below = machineType === undefined ? [] : [ephemeralVolume, logVolume];
  return [stateVolume, ...below, ...(isControlPlane ? [etcdVolume] : [])].map(
    ({ id, parentId = '', ...mount }) => {
      const none = empty(volumeConfigs);
      const spec: VolumeConfigSpec = {
        ...none,
        parentId,
        type: 'directory',
        mount: { ...none.mount, parentId, secure: false, noExec: false, ...mount },
      };
      return { id, spec };
    },
  );
}

/** The mount request for each of these volumes. */
export function requestOfVolume({ mount }: VolumeConfigSpec, volumeID: string): VolumeMountRequestSpec {
  const { secure, noExec } = mount;
  const shared = { readOnly: false, detached: false, disableAccessTime: false };
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
    const failed = { phase: 'failed', preFailPhase: 'located', errorMessage: made.failure } as const;
    return { ...empty(volumeStatuses), ...own, ...failed };
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
