import { volumeTable } from '@nodewright/contract/volumes';
import {
  type Controller,
  destroyReady,
  exclusive,
  type ReconcilePass,
  shared,
  strong,
  weak,
} from '@nodewright/controllers';
import { Fault, faultFrom } from '@nodewright/fault';
import { ConfigReader } from '@nodewright/machine-config';
import type { Selection } from '@nodewright/machine-config/selectors';
import { pointerTo } from '@nodewright/state';
import {
  type BlockMountStatusSpec,
  blockMountStatuses,
  devicesStatuses,
  disks,
  type MountRequestSpec,
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
import type { PlannedVolume } from '../domain/plan/volume-plan.ts';
import { diskCandidates } from '../domain/selected-disk.ts';
import {
  directoryMount,
  failedStatus,
  mountOptionsOf,
  mountRequestsOf,
  partitionMount,
  plannedVolume,
  requestOfVolume,
  systemVolumeLabels,
  systemVolumes,
  volumeMountsOf,
  volumeStatusOf,
} from '../domain/system-volumes.ts';
import type { GivenFacts, VolumeHost } from '../domain/volume-host.ts';

export interface VolumeControllersInit {
  readonly host: VolumeHost;
  readonly selectors: SelectorEvaluator;
  /** The node runs containerd, which has a volume. */
  readonly hasContainers?: boolean;
}

/** Pause before a failed volume is retried. */
const retryMs = 30_000;

/**
 * The volumes of the node: partitions of a machine, otherwise folders. What is done to a disk or a mount is in the plan of the volume
 * (planVolume), which the host carries out. Source: Talos v1.14: COSI resources, block.
 */
export function volumeControllers({
  host,
  selectors,
  hasContainers = false,
}: VolumeControllersInit): Controller[] {
  return [
    volumeConfigController(host, hasContainers),
    volumeManagerController(host, selectors),
    mountRequestController(),
    mountController(host),
    mountStatusController(),
  ];
}

/** The document of this volume is acted on. */
const actingIds: readonly string[] = volumeTable.filter(({ acts }) => acts !== undefined).map(({ id }) => id);

function volumeConfigController(host: VolumeHost, hasContainers: boolean): Controller {
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
          .find(({ name }) => actingIds.includes(name));
      const provisioning = document?.below('provisioning');
      const volumes = systemVolumes({
        machineType: configuration?.effective.machineType,
        hasPartitions: host.hasPartitions,
        hasImageCache: host.hasImageCache,
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

function volumeManagerController(host: VolumeHost, selectors: SelectorEvaluator): Controller {
  /** The failures that were logged, by volume: each is logged once, and not at each attempt. */
  const failures = new Map<string, string>();
  return {
    name: 'block.VolumeManagerController',
    inputs: [
      weak(volumeConfigs),
      destroyReady(volumeStatuses),
      ...(host.hasPartitions
        ? [weak(blockMountStatuses), weak(devicesStatuses), weak(disks), weak(systemDisks)]
        : []),
    ],
    outputs: [exclusive(volumeStatuses)],
    async reconcile(pass) {
      const configs = await pass.list(volumeConfigs);
      const byId = new Map(configs.map(({ metadata, spec }) => [metadata.id, spec]));
      const mounts = host.hasPartitions ? await pass.list(blockMountStatuses) : [];
      const mounted = new Set(mounts.map(({ metadata }) => metadata.id));
      const areDevicesKnown =
        host.hasPartitions && (await pass.get(pointerTo(devicesStatuses)))?.spec.ready === true;
      const statusOf = async (id: string, spec: VolumeConfigSpec): Promise<VolumeStatusSpec> => {
        try {
          const isParentMount = spec.type === 'overlay' || byId.get(spec.parentId)?.type === 'partition';
          const isParentMounted = !isParentMount || mounted.has(spec.parentId);
          const volume = plannedVolume(id, spec, byId);
          const given = { ...wanted, areDevicesKnown, isParentMounted };
          let plan = await host.settle(volume, given);
          if (plan.waitsFor === 'selection') {
            const selection = await selectionFor(pass, selectors, spec);
            if (selection !== undefined) plan = await host.settle(volume, { ...given, selection });
          }
          const { refusal } = plan;
          if (refusal !== undefined) throw new Fault(refusal.kind, refusal.message);
          failures.delete(id);
          return volumeStatusOf(spec, plan);
        } catch (error) {
          if (pass.signal.aborted) throw error;
          pass.wakeAfter(retryMs);
          const failure = faultFrom(error).message;
          if (failures.get(id) !== failure) pass.log.error({ volume: id, error: failure }, 'volume failed');
          failures.set(id, failure);
          return failedStatus(spec, failure);
        }
      };
      const statuses = [];
      for (const { metadata, spec } of parentsFirst(configs)) {
        const { id } = metadata;
        statuses.push({ id, spec: await statusOf(id, spec), labels: systemVolumeLabels });
      }
      for (const { metadata } of await pass.list(volumeStatuses)) {
        const { id } = metadata;
        if (byId.has(id)) continue;
        // Its mount keeps the status until it is unmounted.
        if (await pass.teardown(pointerTo(volumeStatuses, id)))
          await host.settle(unwanted(id, ''), { ...wanted, isWanted: false });
      }
      await pass.replace(volumeStatuses, statuses);
    },
  };
}

/** What the plans of all wanted volumes have in common. */
const wanted: GivenFacts = {
  ...{ isWanted: true, areDevicesKnown: false, selection: undefined, isParentMounted: true },
  ...{ mount: 'unchanged', holders: [] },
};

/** A volume of whose configuration nothing is left. */
const unwanted = (id: string, path: string): PlannedVolume => ({
  ...{ id, path, mode: 0, isOverlay: false, partition: undefined },
});

/** Undefined while the system disk is not known, of which expressions speak. */
async function selectionFor(
  pass: ReconcilePass,
  selectors: SelectorEvaluator,
  { provisioning }: VolumeConfigSpec,
): Promise<Selection | undefined> {
  const systemDisk = (await pass.get(pointerTo(systemDisks)))?.spec.devPath;
  if (systemDisk === undefined) return undefined;
  const specs = (await pass.list(disks)).map(({ spec }) => spec);
  const request = {
    ...{ environment: 'disk' as const, expression: provisioning.diskSelector.match },
    candidates: diskCandidates(specs, systemDisk),
  };
  return selectors.select(request, pass.signal);
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
      const present = new Set((await pass.list(mountRequests)).map(({ metadata }) => metadata.id));
      await pass.replace(mountRequests, mountRequestsOf(requests, await statusesOf(pass), present));
    },
  };
}

function mountController(host: VolumeHost): Controller {
  return {
    name: 'block.MountController',
    inputs: [
      weak(mountRequests),
      weak(volumeConfigs),
      strong(volumeStatuses),
      destroyReady(blockMountStatuses),
    ],
    outputs: [exclusive(blockMountStatuses)],
    async reconcile(pass) {
      const configs = await pass.list(volumeConfigs);
      const byId = new Map(configs.map(({ metadata, spec }) => [metadata.id, spec]));
      const statuses = await statusesOf(pass);
      const requests = new Map(
        (await pass.list(mountRequests)).map(({ metadata, spec }) => [metadata.id, spec]),
      );
      const failures: unknown[] = [];
      // The other volumes are mounted all the same; the runtime reports the failure and tries again.
      const orFailure = (action: () => Promise<void>) =>
        action().catch((error: unknown) => void failures.push(error));
      for (const { metadata, spec } of await pass.list(blockMountStatuses)) {
        const { id, phase } = metadata;
        if (requests.has(id) && phase === 'running') continue;
        await orFailure(() => unmount(pass, host, id, spec));
      }
      for (const [id, request] of requests) {
        const config = byId.get(request.volumeID);
        if (config === undefined || !statuses.has(request.volumeID)) continue;
        await orFailure(() => mount(pass, host, { id, request, config, byId }));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

interface WantedMount {
  readonly id: string;
  readonly request: MountRequestSpec;
  readonly config: VolumeConfigSpec;
  readonly byId: ReadonlyMap<string, VolumeConfigSpec>;
}

async function mount(pass: ReconcilePass, host: VolumeHost, wish: WantedMount): Promise<void> {
  const { id, request, config, byId } = wish;
  const pointer = pointerTo(blockMountStatuses, id);
  // It is unmounted first, once nothing holds it.
  if ((await pass.get(pointer))?.metadata.phase === 'tearingDown') return;
  const volume = plannedVolume(request.volumeID, config, byId);
  if (volume.path === undefined) return;
  await pass.hold(pointerTo(volumeStatuses, request.volumeID));
  const plan = await host.settle(volume, { ...wanted, mount: mountOptionsOf(request, config.mount) });
  if (plan.refusal !== undefined) throw new Fault(plan.refusal.kind, plan.refusal.message);
  if (plan.waitsFor !== undefined) return;
  const spec: BlockMountStatusSpec =
    plan.located === undefined
      ? directoryMount(request, volume.path)
      : partitionMount(request, volume.path, config, plan.located.device);
  await pass.put({ ...pointer, spec });
}

/** The way back begins when nothing holds the mount any more, and lets go of the volume at its end. */
async function unmount(
  pass: ReconcilePass,
  host: VolumeHost,
  id: string,
  { target, spec }: BlockMountStatusSpec,
): Promise<void> {
  const pointer = pointerTo(blockMountStatuses, id);
  if (!(await pass.teardown(pointer))) return;
  await host.settle(unwanted(spec.volumeID, target), { ...wanted, mount: 'none' });
  await pass.destroy(pointer);
  await pass.release(pointerTo(volumeStatuses, spec.volumeID));
}

function mountStatusController(): Controller {
  return {
    name: 'block.MountStatusController',
    inputs: [strong(blockMountStatuses), destroyReady(volumeMountStatuses)],
    outputs: [exclusive(volumeMountStatuses)],
    async reconcile(pass) {
      const mounts = await pass.list(blockMountStatuses);
      const running = mounts.filter(({ metadata }) => metadata.phase === 'running');
      for (const { metadata } of running) await pass.hold(pointerTo(blockMountStatuses, metadata.id));
      const statuses = running.flatMap(({ metadata, spec }) =>
        volumeMountsOf(spec).map((status) => ({ ...status, labels: { [mountLabel]: metadata.id } })),
      );
      await pass.replace(volumeMountStatuses, statuses);
      // A user of a volume holds its VolumeMountStatus: the mount stays until all of them are gone.
      const used = new Set(
        (await pass.list(volumeMountStatuses)).map(({ metadata }) => metadata.labels[mountLabel]),
      );
      for (const { metadata } of mounts)
        if (metadata.phase !== 'running' && !used.has(metadata.id))
          await pass.release(pointerTo(blockMountStatuses, metadata.id));
    },
  };
}

const mountLabel = 'mount-status-id';

/** Of the volumes that are wanted. */
async function statusesOf(pass: ReconcilePass) {
  const statuses = (await pass.list(volumeStatuses)).filter(({ metadata }) => metadata.phase === 'running');
  return new Map(statuses.map(({ metadata, spec }) => [metadata.id, spec]));
}
