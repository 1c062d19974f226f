import { WatchRequest, type WatchResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { SpecCodec } from '../spec/spec-codec.ts';
import type { ResourceEvent } from '../state.ts';
import { eventFromMessage } from '../wire/event-messages.ts';

/** The resources to follow: all resources of a kind, or one of them. */
export interface FollowedKind<S> {
  readonly namespace: string;
  readonly type: string;
  readonly codec: SpecCodec<S>;
  readonly id?: string;
}

/** The watch call of `cosi.resource.State`. */
export interface StateWatcher {
  watch(request: WatchRequest, options: { readonly signal: AbortSignal }): AsyncIterable<WatchResponse>;
}

export interface FollowResourcesInit<S> {
  readonly client: StateWatcher;
  readonly kind: FollowedKind<S>;
  readonly signal: AbortSignal;
  /**
   * Called with all specs by id, once the first state is complete and after every change. It is always the
   * same map.
   */
  readonly onSpecs: (specs: ReadonlyMap<string, S>) => void;
}

/**
 * Follows resources behind a connection until the signal aborts.
 *
 * @throws Fault when the stream ends or breaks, events were lost, or a message cannot be read
 */
export async function followResources<S>(init: FollowResourcesInit<S>): Promise<void> {
  const { client, kind, signal, onSpecs } = init;
  const codecs = new Map([[kind.type, kind.codec]]);
  const specs = new Map<string, S>();
  // A watch of one id starts with that resource. A watch of a kind sends `bootstrapped` after its contents.
  let isComplete = kind.id !== undefined;
  try {
    for await (const { event: messages } of client.watch(requestOf(kind), { signal })) {
      for (const message of messages) {
        const event = eventFromMessage(message, codecs) as ResourceEvent<S>;
        if (event.kind === 'bootstrapped') isComplete = true;
        else take(specs, event);
      }
      // The first message has no events. It only confirms that the watch is in place.
      if (isComplete && messages.length > 0) onSpecs(specs);
    }
  } catch (error) {
    if (signal.aborted) return;
    throw faultFrom(error);
  }
  if (!signal.aborted) throw new Fault('unavailable', `the watch of "${kind.type}" was ended by the server`);
}

function requestOf({ namespace, type, id }: FollowedKind<unknown>): WatchRequest {
  const options = { bootstrapContents: id === undefined, aggregated: id === undefined };
  return WatchRequest.fromPartial({ namespace, type, id, apiVersion: 1, options });
}

function take<S>(specs: Map<string, S>, event: ResourceEvent<S>): void {
  switch (event.kind) {
    case 'created':
    case 'updated':
      specs.set(event.resource.metadata.id, event.resource.spec);
      break;
    case 'destroyed':
      specs.delete(event.resource.metadata.id);
      break;
    case 'errored':
      throw new Fault('data-loss', event.message);
  }
}
