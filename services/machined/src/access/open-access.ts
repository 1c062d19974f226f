import type { DependencyEdge } from '@nodewright/controllers';
import type { State } from '@nodewright/state';
import type { ServerMiddleware } from 'nice-grpc';
import { isRegisteredKind } from '../base/resources/open-node-state.ts';
import type { Topic } from '../base/topic.ts';
import type { CallSurroundings } from './domain/check-call.ts';
import { createAuthorizeMiddleware } from './rpc/authorize-middleware.ts';
import { createInspect } from './rpc/inspect.ts';
import { createStateApi } from './rpc/state.ts';

export interface OpenAccessInit {
  readonly state: State;
  /** Returns the inputs and outputs of the controllers; called for every request. */
  readonly graph: () => readonly DependencyEdge[];
  /** Returns the facts that decide which calls the node accepts now. */
  readonly surroundings: () => CallSurroundings;
  /** Unix time in ms. */
  readonly now: () => number;
  /** Ends the watches when the node stops. */
  readonly stopSignal: AbortSignal;
}

export interface AccessTopic extends Topic {
  /** Admits only calls that the caller's roles and the state of the node permit. */
  readonly authorize: ServerMiddleware;
}

/** Access control: the check of every call, and the calls that show the node's resources and controllers. */
export function openAccess({ state, graph, surroundings, now, stopSignal }: OpenAccessInit): AccessTopic {
  return {
    controllers: [],
    api: {
      'cosi.resource.State': createStateApi({ state, now, stopSignal }),
      'inspect.InspectService': createInspect(graph, isRegisteredKind),
    },
    authorize: createAuthorizeMiddleware(surroundings),
  };
}
