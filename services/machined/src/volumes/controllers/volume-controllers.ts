import {
  type Controller,
  destroyReady,
  exclusive,
  type ReconcilePass,
  shared,
  weak,
} from '@nodewright/controllers';
import { Fault, faultFrom } from '@nodewright/fault';
import { ConfigReader } from '@nodewright/machine-config';
import { pointerTo } from '@nodewright/state';
import {
  type BlockMountStatusSpec,
  blockMountStatuses,
  devicesStatuses,
  disks,
  machineConfigs,
  mountRequests,
  systemDisks,
  type VolumeConfigSpec,
  type VolumeStatusSpec,
  volumeConfigs,
  volumeMountRequests,
  volumeMountStatuses,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import type { SelectorEvaluator } from '../../base/domain/selectors.ts';
import { diskCandidates, isEvaluated, placementProblem } from '../domain/selected-disk.ts';
import {
  directoryMount,
  directoryVolumeStatus,
  type MadeFolder,
  mountOptionsOf,
  mountRequestsOf,
  overlayFolders,
  partitionMount,
  partitionVolumeStatus,
  partitionWishOf,
  pathOfVolume,
  requestOfVolume,
  systemVolumeLabels,
  systemVolumes,
  volumeMountsOf,
  waitingVolumeStatus,
} from '../domain/system-volumes.ts';
import type { VolumePartitions } from '../domain/volume-partitions.ts';

export interface VolumeControllersInit {
  /**
   * Creates a folder of the node if it is missing.
   *
   * @param path on the node, absolute
   * @returns the size of its file system, in bytes
   */
  readonly makeVolumeFolder: (path: string, mode: number) => Promise<bigint>;
  /** The partitions of the system disk; undefined on a node whose volumes are folders. */
  readonly partitions?: VolumePartitions | undefined;
  readonly selectors: SelectorEvaluator;
  /** The node runs containerd, which has a volume. */
  readonly hasContainers?: boolean;
}

/** Pause before a failed volume is retried. */
const retryMs = 30_000;

/** The volumes of the node: partitions of a machine, otherwise folders. Source: Talos v1.14: COSI resources, block. */
export function volumeControllers({
  makeVolumeFolder,
  partitions,
  selectors,
  hasContainers = false,
}: VolumeControllersInit): Controller[] {
  return [
    volumeConfigController(partitions, hasContainers),
    volumeManagerController(makeVolumeFolder, partitions, selectors),
    mountRequestController(),
    mountController(partitions),
    mountStatusController(),
  ];
}

function volumeConfigController(
  partitions: VolumePartitions | undefined,
  hasContainers: boolean,
): Controller {
  return {
    name: 'block.VolumeConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [shared(volumeConfigs), shared(volumeMountRequests)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const document =
        configuration &&
        new ConfigReader(configuration.documents)
          .documents('VolumeConfig')
          .find(({ name }) => name === 'EPHEMERAL');
      const provisioning = document?.below('provisioning');
      const volumes = systemVolumes({
        machineType: configuration?.effective.machineType,
        hasPartitions: partitions !== undefined,
        hasImageCache: partitions?.hasImageCache ?? false,
        hasContainers,
        ephemeral: provisioning && {
          diskSelector: provisioning.text('diskSelector', 'match'),
          minSize: provisioning.text('minSize'),
          maxSize: provisioning.text('maxSize'),
          grow: provisioning.boolean('grow'),
        },
      });
      const labels = systemVolumeLabels;
      await pass.replace(
        volumeConfigs,
        volumes.map((volume) => ({ ...volume, labels })),
      );
      await pass.replace(
        volumeMountRequests,
        volumes
          .filter(({ spec }) => spec.mount.targetPath !== '')
          .map(({ id, spec }) => ({ id, spec: requestOfVolume(spec, id) })),
      );
    },
  };
}

function volumeManagerController(
  makeVolumeFolder: VolumeControllersInit['makeVolumeFolder'],
  partitions: VolumePartitions | undefined,
  selectors: SelectorEvaluator,
): Controller {
  /** The failures that were logged, by volume: each is logged once, and not at each attempt. */
  const failures = new Map<string, string>();
  return {
    name: 'block.VolumeManagerController',
    inputs: [
      weak(volumeConfigs),
      ...(partitions === undefined
        ? []
        : [weak(blockMountStatuses), weak(devicesStatuses), weak(disks), weak(systemDisks)]),
    ],
    outputs: [exclusive(volumeStatuses)],
    async reconcile(pass) {
      const configs = await pass.list(volumeConfigs);
      const byId = new Map(configs.map(({ metadata, spec }) => [metadata.id, spec]));
      const mounted = new Set(
        partitions === undefined
          ? []
          : (await pass.list(blockMountStatuses)).map(({ metadata }) => metadata.id),
      );
      const areDevicesKnown =
        partitions !== undefined && (await pass.get(pointerTo(devicesStatuses)))?.spec.ready === true;
      const orFailure = async <R>(volume: string, make: () => Promise<R>) => {
        try {
          const made = await make();
          failures.delete(volume);
          return made;
        } catch (error) {
          if (pass.signal.aborted) throw error;
          pass.wakeAfter(retryMs);
          const failure = faultFrom(error).message;
          if (failures.get(volume) !== failure) pass.log.error({ volume, error: failure }, 'volume failed');
          failures.set(volume, failure);
          return { failure };
        }
      };
      const statusOf = async (id: string, spec: VolumeConfigSpec): Promise<VolumeStatusSpec> => {
        if (partitions !== undefined && spec.type === 'partition') {
          const wish = partitionWishOf(spec);
          // Only a new partition waits: it must not take the place of one on a disk that appears later.
          const waits = async () => !areDevicesKnown && !(await partitions.exists(id, wish));
          const made = await orFailure(id, async () => {
            if (await waits()) return undefined;
            const { match } = spec.provisioning.diskSelector;
            // It chooses the disk of a new partition: one that exists stays where it is.
            if (!isEvaluated(match) || (await partitions.exists(id, wish)))
              return partitions.prepare(id, wish);
            const systemDisk = (await pass.get(pointerTo(systemDisks)))?.spec.devPath;
            if (systemDisk === undefined) return undefined;
            const problem = await placementProblemOf(pass, selectors, match, systemDisk);
            if (problem !== undefined) throw new Fault('failed-precondition', problem);
            return partitions.prepare(id, wish);
          });
          return made === undefined ? waitingVolumeStatus(spec) : partitionVolumeStatus(spec, made);
        }
        const path = pathOfVolume(id, byId);
        if (path === undefined)
          return directoryVolumeStatus(spec, { failure: 'its parent volume is not there' });
        // The folder belongs on the partition, not below its mount point.
        const isOnPartition = spec.type === 'overlay' || byId.get(spec.parentId)?.type === 'partition';
        if (isOnPartition && !mounted.has(spec.parentId)) return waitingVolumeStatus(spec);
        const { changes, work } = overlayFolders(path);
        const folders = spec.type === 'overlay' ? [work, changes] : [path];
        const made = await orFailure(id, async (): Promise<MadeFolder> => {
          let sizeBytes = 0n;
          for (const folder of folders) sizeBytes = await makeVolumeFolder(folder, spec.mount.fileMode);
          return { sizeBytes };
        });
        return directoryVolumeStatus(spec, made);
      };
      const statuses = [];
      for (const { metadata, spec } of parentsFirst(configs)) {
        const { id } = metadata;
        statuses.push({ id, spec: await statusOf(id, spec), labels: systemVolumeLabels });
      }
      await pass.replace(volumeStatuses, statuses);
    },
  };
}

async function placementProblemOf(
  pass: ReconcilePass,
  selectors: SelectorEvaluator,
  expression: string,
  systemDisk: string,
): Promise<string | undefined> {
  const specs = (await pass.list(disks)).map(({ spec }) => spec);
  const request = {
    ...{ environment: 'disk' as const, expression },
    candidates: diskCandidates(specs, systemDisk),
  };
  return placementProblem(expression, await selectors.select(request, pass.signal), systemDisk);
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

function mountController(partitions: VolumePartitions | undefined): Controller {
  return {
    name: 'block.MountController',
    inputs: [weak(mountRequests), weak(volumeStatuses), destroyReady(blockMountStatuses)],
    outputs: [exclusive(blockMountStatuses)],
    async reconcile(pass) {
      const statuses = await statusesOf(pass);
      const places = new Map(
        [...statuses].map(([id, { parentID, mountSpec }]) => [id, { parentId: parentID, mount: mountSpec }]),
      );
      const mounts: { readonly id: string; readonly spec: BlockMountStatusSpec }[] = [];
      const failures: unknown[] = [];
      for (const { metadata, spec } of await pass.list(mountRequests)) {
        const { id } = metadata;
        const target = pathOfVolume(spec.volumeID, places);
        const volume = statuses.get(spec.volumeID);
        if (target === undefined || volume === undefined) continue;
        if (partitions === undefined || volume.type === 'directory') {
          mounts.push({ id, spec: directoryMount(spec, target) });
          continue;
        }
        try {
          if (volume.type === 'overlay') {
            await partitions.mountOverlay(overlayFolders(target));
            mounts.push({ id, spec: directoryMount(spec, target) });
            continue;
          }
          const { mountSpec } = volume;
          const options = { ...mountOptionsOf(spec, mountSpec), target, mode: mountSpec.fileMode };
          await partitions.mount(spec.volumeID, options);
          mounts.push({ id, spec: partitionMount(spec, target, volume) });
        } catch (error) {
          failures.push(error);
        }
      }
      await pass.replace(blockMountStatuses, mounts);
      // The other volumes are mounted all the same; the runtime reports the failure and tries again.
      if (failures.length > 0) throw failures[0];
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
