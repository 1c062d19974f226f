import type { ControllerRuntime } from '@nodewright/controllers';
import { systemWallClock } from '@nodewright/sntp';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { MetaStore } from './controllers/config/meta-store.ts';
import type { OpenConfiguration } from './controllers/config/open-configuration.ts';
import { isRegisteredKind } from './resources/open-node-state.ts';
import { createApplyConfiguration } from './rpc/apply-configuration.ts';
import type { ImplementedServices } from './rpc/complete-services.ts';
import { createInspect } from './rpc/inspect.ts';
import { createMeta } from './rpc/meta.ts';
import { createStateApi } from './rpc/state.ts';

export interface MachineApiInit {
  readonly state: State;
  readonly configuration: OpenConfiguration;
  readonly meta: MetaStore;
  readonly controllers: Pick<ControllerRuntime, 'graph'>;
  /** Ends the streams that are to tell how the node stops, once it has. */
  readonly streamsEnd: AbortSignal;
  readonly log: Logger;
}

/** What of the Machine API is built, on this node's hands. */
export function machineApi(init: MachineApiInit): ImplementedServices {
  const { state, controllers } = init;
  const { streamsEnd: stopSignal, log } = init;
  const { now } = systemWallClock;
  return {
    'machine.MachineService': {
      ...createApplyConfiguration({ ...init.configuration, log }),
      ...createMeta(init.meta),
    },
    'cosi.resource.State': createStateApi({ state, now, stopSignal }),
    'inspect.InspectService': createInspect(() => controllers.graph(), isRegisteredKind),
  };
}
