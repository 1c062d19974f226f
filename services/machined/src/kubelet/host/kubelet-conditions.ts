import { type Condition, openResourceCondition } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import { imageCacheConfigs, networkStatuses, timeStatuses } from '@nodewright/state/kinds';

/** What the kubelet waits for before it starts. Source: Talos v1.14: services, kubelet; image cache. */
export function openKubeletConditions(state: State, scope: AsyncDisposableStack): Promise<Condition[]> {
  return Promise.all([
    openResourceCondition(
      state,
      { pointer: pointerTo(timeStatuses), text: 'time sync', isWanted: ({ synced }) => synced },
      scope,
    ),
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
    // Otherwise its first pulls would go to registries that a node with a cache may not reach.
    openResourceCondition(
      state,
      {
        pointer: pointerTo(imageCacheConfigs),
        text: 'image cache',
        isWanted: ({ status }) => status !== 'preparing',
      },
      scope,
    ),
  ]);
}
