import { pointerTo, type State, watchFor } from '@nodewright/state';
import { blockMountStatuses } from '@nodewright/state/kinds';
import type { Topic } from '../base/topic.ts';
import { mountStatusController } from './controllers/mount-status.ts';
import { volumeControllers } from './controllers/volume-controllers.ts';
import type { VolumePartitions } from './domain/volume-partitions.ts';
import { makeVolumeFolder } from './host/volume-folder.ts';

export interface OpenVolumesInit {
  /** The node's root, without a trailing slash; the folders of its volumes are below it. */
  readonly root: string;
  readonly partitions: VolumePartitions | undefined;
  readonly state: State;
}

export interface VolumesTopic extends Topic {
  /** Resolves when the volume is mounted. @throws Fault `cancelled` when the signal aborts */
  mounted(id: string, signal: AbortSignal): Promise<void>;
}

/** The volumes of the node, their mounts, and the controllers that create them. */
export function openVolumes({ root, partitions, state }: OpenVolumesInit): VolumesTopic {
  return {
    controllers: [
      mountStatusController(),
      ...volumeControllers({
        makeVolumeFolder: (path, folderMode) => makeVolumeFolder(root, path, folderMode),
        partitions,
      }),
    ],
    api: {},
    async mounted(id, signal) {
      await watchFor(state, pointerTo(blockMountStatuses, id), (mount) => mount !== undefined, signal);
    },
  };
}
