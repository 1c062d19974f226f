// Resources of the simulated cluster: a real store per node, served as a node serves its own.
import {
  GetRequest,
  GetResponse,
  ListRequest,
  ListResponse,
  WatchRequest,
  WatchResponse,
} from '@nodewright/contract/gen/cosi/resource/state.ts';
import { faultFrom, grpcCodeFromKind } from '@nodewright/fault';
import {
  codecsOf,
  MemoryState,
  type NewResource,
  type ResourceKind,
  registerKind,
  registerMeta,
} from '@nodewright/state';
import { createStateService } from '@nodewright/state/wire';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';

/** A fixed clock: 2026-01-10T09:00:01Z. */
const nowMs = Date.UTC(2026, 0, 10, 9, 0, 1);

/** A node's store with these kinds. */
export async function openNodeStore(
  kinds: readonly ResourceKind[],
  resources: readonly NewResource[],
): Promise<MemoryState> {
  const store = new MemoryState({ now: () => nowMs, cookie: new Uint8Array(8) });
  await registerMeta(store);
  for (const kind of kinds) await registerKind(store, kind);
  for (const resource of resources) await store.create(resource, { owner: 'test.Controller' });
  return store;
}

/** Handlers of `cosi.resource.State`. @param storeOf may throw a Fault, which the call then fails with */
export function stateHandlers(
  kinds: readonly ResourceKind[],
  storeOf: (node: string | undefined) => MemoryState,
): Record<string, FakeHandler> {
  const codecs = codecsOf(kinds);
  const serve =
    (answer: (call: FakeCall, service: ReturnType<typeof serviceOf>) => Promise<void>): FakeHandler =>
    async (call) => {
      try {
        await answer(call, serviceOf(storeOf(call.node)));
        call.end();
      } catch (error) {
        const { kind, message } = faultFrom(error);
        call.fail(grpcCodeFromKind(kind), message);
      }
    };
  const serviceOf = (store: MemoryState) =>
    createStateService({ stateOf: () => store, codecs, now: () => nowMs }).implementation;
  const contextOf = ({ signal }: FakeCall) => ({ signal }) as never;
  return {
    '/cosi.resource.State/Get': serve(async (call, service) => {
      const response = await service.get(GetRequest.decode(call.request), contextOf(call));
      call.send(GetResponse.encode(GetResponse.fromPartial(response)).finish());
    }),
    '/cosi.resource.State/List': serve(async (call, service) => {
      for await (const response of service.list(ListRequest.decode(call.request), contextOf(call))) {
        call.send(ListResponse.encode(ListResponse.fromPartial(response)).finish());
      }
    }),
    '/cosi.resource.State/Watch': serve(async (call, service) => {
      for await (const response of service.watch(WatchRequest.decode(call.request), contextOf(call))) {
        call.send(WatchResponse.encode(WatchResponse.fromPartial(response)).finish());
      }
    }),
  };
}
