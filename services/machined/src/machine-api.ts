import type { ControllerRuntime } from '@nodewright/controllers';
import { systemWallClock } from '@nodewright/sntp';
import type { State } from '@nodewright/state';
import { isRegisteredKind } from './resources/open-node-state.ts';
import type { ImplementedServices } from './rpc/complete-services.ts';
import { createInspect } from './rpc/inspect.ts';
import { createStateApi } from './rpc/state.ts';

export interface MachineApiInit {
  readonly state: State;
  readonly controllers: Pick<ControllerRuntime, 'graph'>;
  /** Ends the streams that are to tell how the node stops, once it has. */
  readonly streamsEnd: AbortSignal;
}

/** What of the Machine API is built, on this node's hands. */
export function machineApi(init: MachineApiInit): ImplementedServices {
  const { state, controllers } = init;
  const { streamsEnd: stopSignal } = init;
  const { now } = systemWallClock;
  return {
    'cosi.resource.State': createStateApi({ state, now, stopSignal }),
    'inspect.InspectService': createInspect(() => controllers.graph(), isRegisteredKind),
  };
}
