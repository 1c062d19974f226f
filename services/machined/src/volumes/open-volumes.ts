import { pointerTo, type State, watchFor } from '@nodewright/state';
import { blockMountStatuses } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { SelectorEvaluator } from '../base/domain/selectors.ts';
import type { World } from '../base/domain/world.ts';
import type { Topic } from '../base/topic.ts';
import { mountStatusController } from './controllers/mount-status.ts';
import { volumeControllers } from './controllers/volume-controllers.ts';
import type { VolumeHost } from './domain/volume-host.ts';
import { VolumeExecutor } from './host/volume-executor.ts';
import { createVolumeFolders } from './host/volume-folder.ts';
import { type AnnouncedWipe, createDeviceWipe, type WipeableDisks } from './rpc/device-wipe.ts';

export interface OpenVolumesInit {
  /** The node's root, without a trailing slash; the folders of its volumes are below it. */
  readonly root: string;
  /** The volumes of a machine with partitions; undefined on a node whose volumes are folders. */
  readonly partitions: VolumeHost | undefined;
  readonly selectors: SelectorEvaluator;
  /** The disks of the machine; undefined on a node that owns none. */
  readonly disks: WipeableDisks | undefined;
  readonly world: Pick<World, 'ownsDisks' | 'description'>;
  /** The node runs containerd, which has a volume. */
  readonly hasContainers: boolean;
  readonly state: State;
  /** Publishes that a device is about to be wiped. */
  readonly announceWipe: (wipe: AnnouncedWipe) => void;
  readonly telemetry: Telemetry;
  readonly log: Logger;
}

export interface VolumesTopic extends Topic {
  /** Resolves when the volume is mounted. @throws Fault `cancelled` when the signal aborts */
  mounted(id: string, signal: AbortSignal): Promise<void>;
}

/** The volumes of the node, their mounts, and the controllers that create them. */
export function openVolumes(init: OpenVolumesInit): VolumesTopic {
  const { announceWipe: announce, root, partitions, selectors, hasContainers } = init;
  const { disks, world, state, telemetry, log } = init;
  return {
    controllers: [
      mountStatusController(),
      ...volumeControllers({
        host: partitions ?? new VolumeExecutor({ disk: undefined, folders: createVolumeFolders(root), log }),
        selectors,
        hasContainers,
      }),
    ],
    api: {
      'storage.StorageService': createDeviceWipe({
        disks: disks ?? { refusal: withoutDisks(world) },
        ...{ state, announce, telemetry },
      }),
    },
    async mounted(id, signal) {
      await watchFor(state, pointerTo(blockMountStatuses, id), (mount) => mount !== undefined, signal);
    },
  };
}

function withoutDisks({ ownsDisks, description }: Pick<World, 'ownsDisks' | 'description'>): string {
  return ownsDisks
    ? 'machined is not the first process of this machine, so it owns no disks'
    : `this node is ${description} and owns no disks: only a machine wipes block devices`;
}
