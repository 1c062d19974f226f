import { pointerTo, type State } from '@nodewright/state';
import { blockMountStatuses, etcFileStatuses, networkStatuses } from '@nodewright/state/kinds';
import type { Condition } from '../../base/domain/condition.ts';
import { openResourceCondition } from '../../services/host/resource-condition.ts';

/** The volume with the images and the containers. Source: Talos v1.14: COSI resources, volume ids. */
const volume = 'CRI';

/**
 * What containerd waits for before it starts.
 *
 * @param configFile the id of its configuration below `/etc`
 */
export function openContainerdConditions(
  state: State,
  configFile: string,
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
    openResourceCondition(
      state,
      { pointer: pointerTo(blockMountStatuses, volume), text: `volume ${volume} to be mounted` },
      scope,
    ),
  ]);
}
