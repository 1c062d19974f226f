import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { firstPosition } from '../domain/event-selection.ts';
import type { EventStore } from '../host/event-store.ts';
import { eventData } from './event-messages.ts';

/**
 * Events: past and new events of the node. The first message of a stream is empty: it confirms that the node
 * listens, and clients wait for it. Source: Talos v1.14: events.
 *
 * @param stopSignal ends the streams when the node stops.
 */
export function createEvents(
  store: EventStore,
  stopSignal: AbortSignal,
): Pick<MachineServiceImplementation, 'events'> {
  return {
    async *events(request, context) {
      const { withActorId } = request;
      // The position is chosen before the first message, so that no later event is missed; a failure to
      // choose it is reported after that message.
      const position = settled(() => firstPosition(store.ring, request, store.now()));
      yield { data: { typeUrl: '', value: Buffer.alloc(0) }, id: store.nextId(), actorId: withActorId };
      const signal = AbortSignal.any([context.signal, stopSignal]);
      for await (const { id, actorId, event } of store.read(position(), signal)) {
        if (withActorId !== '' && actorId !== withActorId) continue;
        yield { data: eventData(event), id, actorId };
      }
    },
  };
}

/** Runs `work` now, and returns its result or throws its error later, when called. */
function settled<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
