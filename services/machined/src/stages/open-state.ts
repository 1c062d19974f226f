import type { State } from '@nodewright/state';
import { type NodeView, openNodeView } from '../base/resources/node-view.ts';
import { openNodeState } from '../base/resources/open-node-state.ts';
import { EventStore } from '../life/host/event-store.ts';
import type { Host } from './open-host.ts';

/** What all topics share: the node's resources, a view of them, and its events. */
export interface SharedState {
  readonly state: State;
  readonly view: NodeView;
  readonly events: EventStore;
}

/**
 * The second stage: the node's resource store, with only kinds and namespaces in it, and its events. They end
 * with `scope`.
 */
export async function openState({ now, telemetry }: Host, scope: AsyncDisposableStack): Promise<SharedState> {
  const state = await openNodeState(now, telemetry);
  return { state, view: scope.use(await openNodeView(state)), events: new EventStore(now) };
}
