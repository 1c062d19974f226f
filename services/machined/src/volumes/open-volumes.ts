import { untilAborted } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '@nodewright/linux';
import { pointerTo, type State, watchFor } from '@nodewright/state';
import { blockMountStatuses } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { SelectorEvaluator } from '../base/domain/selectors.ts';
import type { World } from '../base/domain/world.ts';
import type { Topic } from '../base/topic.ts';
import { mountStatusController } from './controllers/mount-status.ts';
import { volumeControllers } from './controllers/volume-controllers.ts';
import { openMachineDisks } from './host/machine-disks.ts';
import { type MachineVolumes, openMachineVolumes } from './host/machine-volumes.ts';
import type { PartitionWipePlan } from './host/partition-wipe.ts';
import { VolumeExecutor } from './host/volume-executor.ts';
import { createVolumeFolders } from './host/volume-folder.ts';
import { type AnnouncedWipe, createDeviceWipe } from './rpc/device-wipe.ts';

/** A machine whose disks belong to the node. */
export interface OwnMachine {
  readonly calls: NativeCalls;
  /** Path of the disk that the init has found the image on; undefined when it is unknown. */
  readonly startedDisk: string | undefined;
  /** Detaches all volumes, and what is mounted on them. */
  readonly detachVolumes: () => void;
  /** Keeps `/var` in memory, for a machine without a system disk. @throws SystemCallError */
  readonly mountVarInMemory: () => void;
}

/** Wipes volumes that are folders. */
export interface FolderWipe<Id extends string> {
  /** Completes a wipe that was interrupted. */
  finish(): Promise<readonly string[] | undefined>;
  wipe(volumes: readonly Id[]): Promise<void>;
}

export interface OpenVolumesInit<Id extends string> {
  /** The node's root, without a trailing slash; the folders of its volumes are below it. */
  readonly root: string;
  /** Undefined on a node that changes neither disks nor mounts: its volumes are folders. */
  readonly machine: OwnMachine | undefined;
  readonly folders: FolderWipe<Id>;
  readonly selectors: SelectorEvaluator;
  readonly world: Pick<World, 'ownsDisks' | 'description'>;
  /** The node runs containerd, which has a volume. */
  readonly hasContainers: boolean;
  readonly state: State;
  /** Publishes that a device is about to be wiped. */
  readonly announceWipe: (wipe: AnnouncedWipe) => void;
  readonly telemetry: Telemetry;
  readonly log: Logger;
}

export interface VolumesTopic<Id extends string = string> extends Topic {
  /** The volumes that are partitions of the system disk; absent on a node whose volumes are folders, and on a machine without such a disk. */
  readonly partitions?: MachineVolumes;
  /** The node has the disks of its machine. */
  readonly ownsDisks: boolean;
  /** Resolves when the volumes that the start waits for are mounted or have failed: the files of the node can be read. */
  started(signal: AbortSignal): Promise<void>;
  /** Resolves when the volume is mounted. @throws Fault `cancelled` when the signal aborts */
  mounted(id: string, signal: AbortSignal): Promise<void>;
  /** Wipes volumes irrevocably. @throws Fault */
  wipe(plan: PartitionWipePlan & { readonly volumes: readonly Id[] }): Promise<void>;
}

/**
 * The volumes of the node, their mounts, and the controllers that create them. Before it resolves, a reset that was interrupted is
 * complete; no file of the node may be read earlier.
 */
export async function openVolumes<Id extends string>(init: OpenVolumesInit<Id>): Promise<VolumesTopic<Id>> {
  const {
    announceWipe: announce,
    root,
    selectors,
    hasContainers,
    folders,
    world,
    state,
    telemetry,
    log,
  } = init;
  const machine = world.ownsDisks ? init.machine : undefined;
  const partitions =
    machine && (await openMachineVolumes(machine.calls, log, machine.detachVolumes, machine.startedDisk));
  if (partitions === undefined) await openFolders(machine, folders, log);
  const disks = machine && openMachineDisks(machine.calls, partitions, log);
  const host = partitions ?? new VolumeExecutor({ disk: undefined, folders: createVolumeFolders(root), log });
  const mounted: VolumesTopic['mounted'] = async (id, signal) => {
    await watchFor(state, pointerTo(blockMountStatuses, id), (mount) => mount !== undefined, signal);
  };
  return {
    ...(partitions && { partitions }),
    ownsDisks: disks !== undefined,
    controllers: [mountStatusController(), ...volumeControllers({ host, selectors, hasContainers })],
    api: {
      'storage.StorageService': createDeviceWipe({
        disks: disks ?? { refusal: withoutDisks(world) },
        ...{ state, announce, telemetry },
      }),
    },
    mounted,
    async started(signal) {
      for (const id of (await endedBy(partitions?.started(), signal)) ?? []) await mounted(id, signal);
    },
    wipe: async (plan) => (partitions === undefined ? folders.wipe(plan.volumes) : partitions.wipe(plan)),
  };
}

/** The way of a node whose volumes are folders. */
async function openFolders(
  machine: Pick<OwnMachine, 'mountVarInMemory'> | undefined,
  folders: Pick<FolderWipe<never>, 'finish'>,
  log: Logger,
): Promise<void> {
  machine?.mountVarInMemory();
  const volumes = await folders.finish();
  if (volumes !== undefined) log.warn({ volumes }, 'volumes were wiped by a reset');
}

/** @throws Fault `cancelled` when the signal aborts first */
async function endedBy<T>(work: Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  await untilAborted(work, signal);
  if (signal.aborted) throw new Fault('cancelled', 'the node stops before its volumes are mounted');
  return work;
}

function withoutDisks({ ownsDisks, description }: Pick<World, 'ownsDisks' | 'description'>): string {
  return ownsDisks
    ? 'machined is not the first process of this machine, so it owns no disks'
    : `this node is ${description} and owns no disks: only a machine wipes block devices`;
}
