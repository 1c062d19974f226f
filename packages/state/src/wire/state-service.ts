import {
  type CreateRequest,
  StateDefinition,
  type StateServiceImplementation,
  type UpdateRequest,
  type WatchRequest,
  type WatchResponse,
} from '@nodewright/contract/gen/cosi/resource/state.ts';
import { Fault } from '@nodewright/fault';
import type { CallContext } from 'nice-grpc';
import { teardownAndDestroy } from '../change/teardown-and-destroy.ts';
import type { Pointer, Resource } from '../resource.ts';
import type { SpecCodecs } from '../spec/spec-codec.ts';
import type { State, Watch } from '../state.ts';
import { EncodedResponses } from './encoded-responses.ts';
import { messageFromEvent } from './event-messages.ts';
import { MessageCache } from './message-cache.ts';
import { queriesFromMessages } from './query-messages.ts';
import { messageFromResource, phaseFromText, resourceFromMessage } from './resource-message.ts';

export interface StateServiceInit {
  /** The state, limited to what the caller may use. */
  readonly stateOf: (context: CallContext) => State;
  /** Specs of other types can be sent only as they were received, encoded. */
  readonly codecs: SpecCodecs;
  /** Unix ms. */
  readonly now: () => number;
  /** Ends the watches when the server closes. */
  readonly stopSignal?: AbortSignal;
}

/** `cosi.resource.State` over a state, for `createRpcServer`. Source: Talos v1.14: COSI state service. */
export function createStateService(init: StateServiceInit): {
  definition: typeof StateDefinition;
  implementation: StateServiceImplementation;
} {
  const { stateOf, codecs } = init;
  const encode = (resource: Resource) => ({
    resource: messageFromResource(resource, codecs),
  });
  const responses = new EncodedResponses((resource) => messageFromResource(resource, codecs));
  const messages = new MessageCache((resource) => messageFromResource(resource, codecs));
  const implementation: StateServiceImplementation = {
    get: async (request, context) => responses.of(await stateOf(context).get(request)),

    async *list({ namespace, type, options }, context) {
      const queries = options === undefined ? {} : queriesFromMessages(options);
      for (const resource of await stateOf(context).list({ namespace, type }, queries))
        yield responses.of(resource);
    },

    async create(request: CreateRequest, context) {
      const { metadata, spec } = resourceFromMessage(request.resource, codecs);
      return encode(await stateOf(context).create({ ...metadata, spec }, { owner: request.options?.owner }));
    },

    async update({ newResource, options }: UpdateRequest, context) {
      const expectedPhase =
        options?.expectedPhase === undefined ? 'any' : phaseFromText(options.expectedPhase);
      const resource = resourceFromMessage(newResource, codecs);
      return encode(await stateOf(context).update(resource, { owner: options?.owner, expectedPhase }));
    },

    async destroy(request, context) {
      await stateOf(context).destroy(request, { owner: request.options?.owner });
      return {};
    },

    async teardown(request, context) {
      return { destroyReady: await stateOf(context).teardown(request, { owner: request.options?.owner }) };
    },

    async teardownAndDestroy(request, context) {
      const { signal } = context;
      await teardownAndDestroy(stateOf(context), request, { owner: request.options?.owner, signal });
      return {};
    },

    async *watch(request, context): AsyncGenerator<WatchResponse> {
      const signal = AbortSignal.any([context.signal, ...(init.stopSignal ? [init.stopSignal] : [])]);
      using _ = messages.open();
      using watch = await openWatch(stateOf(context), request, signal);
      const { namespace, type, id = '', apiVersion } = request;
      const about = {
        target: { namespace, type, id },
        encode: (resource: Resource) => messages.of(resource),
        now: init.now,
      };
      // Clients wait for this message: from here on the watch misses no event.
      yield { event: [] };
      for await (const events of watch) {
        const shown = apiVersion < 1 ? events.filter(({ kind }) => !newKinds.includes(kind)) : events;
        if (shown.length > 0) yield { event: shown.map((event) => messageFromEvent(event, about)) };
      }
    },
  };
  return { definition: StateDefinition, implementation };
}

/** Clients of the first protocol version cannot decode this. */
const newKinds: readonly string[] = ['bootstrapped', 'errored'];

async function openWatch(state: State, request: WatchRequest, signal: AbortSignal): Promise<Watch> {
  const { namespace, type, id, options } = request;
  const { tailEvents, startFromBookmark, labelQuery = [], idQuery } = options ?? {};
  const start = { tailEvents, startFromBookmark, signal };
  if (id === undefined) {
    const { bootstrapContents, bootstrapBookmark, aggregated } = options ?? {};
    const queries = queriesFromMessages({ labelQuery, idQuery });
    return state.watchKind(
      { namespace, type },
      { ...start, ...queries, bootstrapContents, bootstrapBookmark, aggregated },
    );
  }
  if (options?.bootstrapContents || labelQuery.length > 0) {
    throw new Fault('unimplemented', 'a watch of one resource supports neither contents nor label queries');
  }
  const pointer: Pointer = { namespace, type, id };
  return state.watch(pointer, start);
}
