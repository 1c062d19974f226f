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
import { ConfigReader, type DocumentReader } from '@nodewright/machine-config';
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
import { Absences } from '../domain/absences.ts';
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
  type VolumeProvisioning,
  volumeMountsOf,
  volumeStatusOf,
} from '../domain/system-volumes.ts';
import type { VolumeHost } from '../domain/volume-host.ts';

export interface VolumeControllersInit {
  readonly host: VolumeHost;
  readonly selectors: SelectorEvaluator;
  /** The node runs containerd, which has a volume. */
  readonly hasContainers?: boolean;
}

/** Pause before a failed volume is retried. */
const retryMs = 30_000;
/** How long a volume or a request must be missing until its mount ends. */
const absenceMs = 10_000;

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

function volumeConfigController(host: VolumeHost, hasContainers: boolean): Controller {
  return {
    name: 'block.VolumeConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [shared(volumeConfigs), shared(volumeMountRequests)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const documents = new ConfigReader(configuration?.documents ?? []).documents('VolumeConfig');
      const volumes = systemVolumes({
        machineType: configuration?.effective.machineType,
        hasPartitions: host.hasPartitions,
        hasImageCache: host.hasImageCache,
        hasContainers,
        provisioning: new Map(
          documents.map((document) => [document.name, provisioningOf(document.below('provisioning'))]),
        ),
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

const provisioningOf = (provisioning: DocumentReader): VolumeProvisioning => ({
  diskSelector: provisioning.text('diskSelector', 'match'),
  minSize: provisioning.text('minSize'),
  maxSize: provisioning.text('maxSize'),
  grow: provisioning.boolean('grow'),
});

function volumeManagerController(host: VolumeHost, selectors: SelectorEvaluator): Controller {
  /** The failures that were logged, by volume: each is logged once, and not at each attempt. */
  const failures = new Map<string, string>();
  const absences = new Absences(absenceMs);
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
      const areDevicesKnown = await hasAllDevices(pass, host);
      const statusOf = async (id: string, spec: VolumeConfigSpec): Promise<VolumeStatusSpec> => {
        try {
          const volume = plannedVolume(id, spec, byId);
          const given = {
            ...{ areDevicesKnown, isParentMounted: isParentMounted(spec, byId, mounted) },
            ...{ selection: undefined, mount: undefined },
          };
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
      // A partition that is not mounted may be wiped or deleted at any time: the mount then waits for a new one.
      const mayVanish = (id: string) => !mounted.has(id) && byId.get(id)?.mount.targetPath !== '';
      if (
        statuses.some(({ id, spec }) => spec.type === 'partition' && spec.phase === 'ready' && mayVanish(id))
      )
        pass.wakeAfter(retryMs);
      absences.keepOnly((id) => !byId.has(id));
      for (const { metadata, spec } of await pass.list(volumeStatuses)) {
        const { id, phase } = metadata;
        if (byId.has(id)) continue;
        const remainingMs = phase === 'running' ? absences.remainingMs(id, pass.monotonicMs()) : 0;
        if (remainingMs > 0) {
          pass.wakeAfter(remainingMs);
          statuses.push({ id, spec, labels: systemVolumeLabels });
          continue;
        }
        // Its mount keeps the status until it is unmounted.
        if (await pass.teardown(pointerTo(volumeStatuses, id))) await host.leave(id, 'forget');
      }
      await pass.replace(volumeStatuses, statuses);
    },
  };
}

async function hasAllDevices(pass: ReconcilePass, { hasPartitions }: VolumeHost): Promise<boolean> {
  return hasPartitions && (await pass.get(pointerTo(devicesStatuses)))?.spec.ready === true;
}

/** A parent that is a folder has no mount of its own. */
function isParentMounted(
  { type, parentId }: Pick<VolumeConfigSpec, 'type' | 'parentId'>,
  byId: ReadonlyMap<string, Pick<VolumeConfigSpec, 'type'>>,
  mounted: ReadonlySet<string>,
): boolean {
  const isMount = type === 'overlay' || byId.get(parentId)?.type === 'partition';
  return !isMount || mounted.has(parentId);
}

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

const mountControllerName = 'block.MountController';

function mountController(host: VolumeHost): Controller {
  const absences = new Absences(absenceMs);
  /** The failures that were logged, by volume. */
  const failures = new Map<string, string>();
  return {
    name: mountControllerName,
    inputs: [
      weak(mountRequests),
      weak(volumeConfigs),
      strong(volumeStatuses),
      destroyReady(blockMountStatuses),
      ...(host.hasPartitions ? [weak(devicesStatuses)] : []),
    ],
    outputs: [exclusive(blockMountStatuses)],
    async reconcile(pass) {
      const configs = await pass.list(volumeConfigs);
      const byId = new Map(configs.map(({ metadata, spec }) => [metadata.id, spec]));
      const statuses = await statusesOf(pass);
      const requests = new Map(
        (await pass.list(mountRequests)).map(({ metadata, spec }) => [metadata.id, spec]),
      );
      // The other volumes are mounted all the same, and none of them waits for this one to be tried again.
      const orFailure = (id: string, action: () => Promise<void>) =>
        action().then(
          () => void failures.delete(id),
          (error: unknown) => {
            if (pass.signal.aborted) throw error;
            pass.wakeAfter(retryMs);
            const failure = faultFrom(error).message;
            if (failures.get(id) !== failure) pass.log.error({ volume: id, error: failure }, 'mount failed');
            failures.set(id, failure);
          },
        );
      absences.keepOnly((id) => !requests.has(id));
      const mounted = new Set<string>();
      const isInUse = new Set(requests.keys());
      for (const { metadata, spec } of await pass.list(blockMountStatuses)) {
        const { id, phase } = metadata;
        if (phase === 'running') mounted.add(spec.spec.volumeID);
        isInUse.add(spec.spec.volumeID);
        if (requests.has(id) && phase === 'running') continue;
        const remainingMs = phase === 'running' ? absences.remainingMs(id, pass.monotonicMs()) : 0;
        if (remainingMs > 0) {
          pass.wakeAfter(remainingMs);
          continue;
        }
        mounted.delete(spec.spec.volumeID);
        await orFailure(id, () => unmount(pass, host, id, spec));
      }
      // A mount that failed has no status, and must not hold its volume when nothing requests it any more.
      for (const { metadata } of await pass.list(volumeStatuses))
        if (!isInUse.has(metadata.id) && metadata.finalizers.includes(mountControllerName))
          await orFailure(metadata.id, () => leave(pass, host, metadata.id));
      for (const config of parentsFirst(configs)) {
        const { id } = config.metadata;
        const request = requests.get(id);
        if (request === undefined || !statuses.has(id)) continue;
        await orFailure(id, async () => {
          const isMounted = await mount(pass, host, { request, config: config.spec, byId, mounted });
          if (isMounted) mounted.add(id);
          // What it waits for may come without an event, such as a partition in place of one that was wiped.
          else pass.wakeAfter(retryMs);
        });
      }
    },
  };
}

interface WantedMount {
  readonly request: MountRequestSpec;
  readonly config: VolumeConfigSpec;
  readonly byId: ReadonlyMap<string, VolumeConfigSpec>;
  /** The volumes that are mounted. */
  readonly mounted: ReadonlySet<string>;
}

/** Whether the volume is mounted now. */
async function mount(pass: ReconcilePass, host: VolumeHost, wish: WantedMount): Promise<boolean> {
  const { request, config, byId, mounted } = wish;
  const id = request.volumeID;
  const pointer = pointerTo(blockMountStatuses, id);
  // It is unmounted first, once nothing holds it.
  if ((await pass.get(pointer))?.metadata.phase === 'tearingDown') return false;
  const volume = plannedVolume(id, config, byId);
  if (volume.path === undefined) return false;
  await pass.hold(pointerTo(volumeStatuses, id));
  const plan = await host.settle(volume, {
    ...{ areDevicesKnown: await hasAllDevices(pass, host), selection: undefined },
    mount: mountOptionsOf(request, config.mount),
    isParentMounted: isParentMounted(config, byId, mounted),
  });
  if (plan.refusal !== undefined) throw new Fault(plan.refusal.kind, plan.refusal.message);
  if (plan.waitsFor !== undefined) return false;
  const spec: BlockMountStatusSpec =
    plan.located === undefined
      ? directoryMount(request, volume.path)
      : partitionMount(request, volume.path, config, plan.located.device);
  await pass.put({ ...pointer, spec });
  return true;
}

/** The way back begins when nothing holds the mount any more. */
async function unmount(
  pass: ReconcilePass,
  host: VolumeHost,
  id: string,
  { spec }: BlockMountStatusSpec,
): Promise<void> {
  const pointer = pointerTo(blockMountStatuses, id);
  if (!(await pass.teardown(pointer))) return;
  await host.leave(spec.volumeID, 'unmount');
  await pass.destroy(pointer);
  await pass.release(pointerTo(volumeStatuses, spec.volumeID));
}

/** The end of what is held for a mount that has no status. */
async function leave(pass: ReconcilePass, host: VolumeHost, id: string): Promise<void> {
  await host.leave(id, 'unmount');
  await pass.release(pointerTo(volumeStatuses, id));
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
