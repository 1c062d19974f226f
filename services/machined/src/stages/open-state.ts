import { ControllerRuntime } from '@nodewright/controllers';
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
  /** Runs each controller from its registration on. */
  readonly controllers: ControllerRuntime;
}

/**
 * The second stage: the node's resource store, with only kinds and namespaces in it, its events, and the runtime of its controllers,
 * which has none yet. They end with `scope`.
 */
export async function openState(
  { now, telemetry, log }: Host,
  scope: AsyncDisposableStack,
): Promise<SharedState> {
  const state = await openNodeState(now, telemetry);
  const view = scope.use(await openNodeView(state));
  const controllers = scope.use(new ControllerRuntime({ state, log, telemetry }));
  controllers.start();
  return { state, view, events: new EventStore(now), controllers };
}
