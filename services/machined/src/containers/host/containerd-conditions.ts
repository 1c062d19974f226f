import { volumeIds } from '@nodewright/contract/volumes';
import { type Condition, openResourceCondition } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import { blockMountStatuses, etcFileStatuses, networkStatuses } from '@nodewright/state/kinds';

/**
 * Volumes with the images and the containers, and on machines with what programs of pods install. Source: Talos v1.14: COSI resources,
 * volume ids.
 */
const volumesOf = (hasPartitions: boolean) =>
  hasPartitions ? [volumeIds.cri, volumeIds.opt] : [volumeIds.cri];

/**
 * What containerd waits for before it starts.
 *
 * @param about `configFile`: the id of its configuration below `/etc`; `hasPartitions`: whether volumes of the node are partitions
 */
export function openContainerdConditions(
  state: State,
  { configFile, hasPartitions }: { readonly configFile: string; readonly hasPartitions: boolean },
  scope: AsyncDisposableStack,
): Promise<Condition[]> {
  return Promise.all([
    openResourceCondition(
      state,
      {
        pointer: pointerTo(networkStatuses),
        text: 'network',
        isWanted: ({ addressReady, hostnameReady, etcFilesReady }) =>
          addressReady && hostnameReady && etcFilesReady,
      },
      scope,
    ),
    openResourceCondition(
      state,
      {
        pointer: pointerTo(etcFileStatuses, configFile),
        text: `/etc files [${JSON.stringify(configFile)}] to be ready`,
      },
      scope,
    ),
    ...volumesOf(hasPartitions).map((volume) =>
      openResourceCondition(
        state,
        { pointer: pointerTo(blockMountStatuses, volume), text: `volume ${volume} to be mounted` },
        scope,
      ),
    ),
  ]);
}
