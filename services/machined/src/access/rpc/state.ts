import { metadataKeys } from '@nodewright/contract';
import type { StateServiceImplementation } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { logAtInfo } from '@nodewright/rpc';
import { codecsOf, type State } from '@nodewright/state';
import { nodeKinds } from '@nodewright/state/kinds';
import { createStateService } from '@nodewright/state/wire';
import { rolesFromMetadata } from '../domain/caller-roles.ts';
import { apiAccess, apiViews, guardedState } from './guarded-state.ts';

export interface StateApiInit {
  readonly state: State;
  /** Unix time in ms. */
  readonly now: () => number;
  /** Ends the watches when the node stops. */
  readonly stopSignal: AbortSignal;
}

/** `cosi.resource.State`: the node's resources, filtered by the roles of each caller. */
export function createStateApi({ state, now, stopSignal }: StateApiInit): StateServiceImplementation {
  const viewOf = apiViews();
  const { implementation } = createStateService({
    stateOf: (context) => {
      const caller = rolesFromMetadata(context.metadata.getAll(metadataKeys.role));
      const report = () => logAtInfo(context);
      return guardedState(state, apiAccess(state, caller, report), viewOf(caller, report));
    },
    codecs: codecsOf(nodeKinds),
    now,
    stopSignal,
  });
  return implementation;
}
