import {
  type Controller,
  destroyReady,
  exclusive,
  type ReconcilePass,
  shared,
  weak,
} from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import {
  blockMountStatuses,
  machineConfigs,
  mountRequests,
  volumeConfigs,
  volumeMountRequests,
  volumeMountStatuses,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import {
  directoryMount,
  directoryVolumeStatus,
  directoryVolumes,
  type MadeFolder,
  mountRequestsOf,
  pathOfVolume,
  requestOfVolume,
  systemVolumeLabels,
  volumeMountsOf,
} from '../domain/directory-volumes.ts';

export interface VolumeControllersInit {
  /**
   * Creates a folder of the node if it is missing.
   *
   * @param path on the node, absolute
   * @returns the size of its file system, in bytes
   */
  readonly makeVolumeFolder: (path: string, mode: number) => Promise<bigint>;
}

/** Pause before a failed volume is retried. */
const retryMs = 30_000;

/**
 * The volumes of nodes that use folders instead of partitions. Source: Talos v1.14: COSI resources, block.
 */
export function volumeControllers({ makeVolumeFolder }: VolumeControllersInit): Controller[] {
  return [
    volumeConfigController(),
    volumeManagerController(makeVolumeFolder),
    mountRequestController(),
    mountController(),
    mountStatusController(),
  ];
}

function volumeConfigController(): Controller {
  return {
    name: 'block.VolumeConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [shared(volumeConfigs), shared(volumeMountRequests)],
    async reconcile(pass) {
      const volumes = directoryVolumes((await configurationOf(pass))?.effective.machineType);
      const labels = systemVolumeLabels;
      await pass.replace(
        volumeConfigs,
        volumes.map((volume) => ({ ...volume, labels })),
      );
      await pass.replace(
        volumeMountRequests,
        volumes.map(({ id, spec }) => ({ id, spec: requestOfVolume(spec, id) })),
      );
    },
  };
}

function volumeManagerController(makeVolumeFolder: VolumeControllersInit['makeVolumeFolder']): Controller {
  return {
    name: 'block.VolumeManagerController',
    inputs: [weak(volumeConfigs)],
    outputs: [exclusive(volumeStatuses)],
    async reconcile(pass) {
      const configs = await pass.list(volumeConfigs);
      const byId = new Map(configs.map(({ metadata, spec }) => [metadata.id, spec]));
      const make = async (id: string, mode: number): Promise<MadeFolder> => {
        const path = pathOfVolume(id, byId);
        if (path === undefined) return { failure: 'its parent volume is not there' };
        try {
          return { sizeBytes: await makeVolumeFolder(path, mode) };
        } catch (error) {
          pass.wakeAfter(retryMs);
          return { failure: faultFrom(error).message };
        }
      };
      const statuses = [];
      for (const { metadata, spec } of parentsFirst(configs)) {
        const made = await make(metadata.id, spec.mount.fileMode);
        statuses.push({
          id: metadata.id,
          spec: directoryVolumeStatus(spec, made),
          labels: systemVolumeLabels,
        });
      }
      await pass.replace(volumeStatuses, statuses);
    },
  };
}

/** Parents first, so that each folder gets its own mode. */
function parentsFirst<C extends { readonly spec: { readonly parentId: string } }>(
  configs: readonly C[],
): C[] {
  return configs.toSorted((a, b) => Number(a.spec.parentId !== '') - Number(b.spec.parentId !== ''));
}

function mountRequestController(): Controller {
  return {
    name: 'block.MountRequestController',
    inputs: [weak(volumeMountRequests), weak(volumeStatuses)],
    outputs: [exclusive(mountRequests)],
    async reconcile(pass) {
      const requests = (await pass.list(volumeMountRequests)).map(({ metadata, spec }) => ({
        id: metadata.id,
        spec,
      }));
      await pass.replace(mountRequests, mountRequestsOf(requests, await statusesOf(pass)));
    },
  };
}

function mountController(): Controller {
  return {
    name: 'block.MountController',
    inputs: [weak(mountRequests), weak(volumeStatuses), destroyReady(blockMountStatuses)],
    outputs: [exclusive(blockMountStatuses)],
    async reconcile(pass) {
      const statuses = await statusesOf(pass);
      const places = new Map(
        [...statuses].map(([id, { parentID, mountSpec }]) => [id, { parentId: parentID, mount: mountSpec }]),
      );
      const mounts = (await pass.list(mountRequests)).flatMap(({ metadata, spec }) => {
        const target = pathOfVolume(spec.volumeID, places);
        return target === undefined ? [] : [{ id: metadata.id, spec: directoryMount(spec, target) }];
      });
      await pass.replace(blockMountStatuses, mounts);
    },
  };
}

function mountStatusController(): Controller {
  return {
    name: 'block.MountStatusController',
    inputs: [weak(blockMountStatuses), destroyReady(volumeMountStatuses)],
    outputs: [exclusive(volumeMountStatuses)],
    async reconcile(pass) {
      const mounts = await pass.list(blockMountStatuses);
      const statuses = mounts.flatMap(({ metadata, spec }) =>
        volumeMountsOf(spec).map((status) => ({ ...status, labels: { 'mount-status-id': metadata.id } })),
      );
      await pass.replace(volumeMountStatuses, statuses);
    },
  };
}

async function statusesOf(pass: ReconcilePass) {
  const statuses = await pass.list(volumeStatuses);
  return new Map(statuses.map(({ metadata, spec }) => [metadata.id, spec]));
}
