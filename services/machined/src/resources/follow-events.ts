import { faultFrom } from '@nodewright/fault';
import { pointerTo, putResource, type State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import { removable, resourceChange } from '../domain/event-resources.ts';
import type { NodeEvent } from '../domain/node-event.ts';
import type { EventStore } from '../host/event-store.ts';

/** Keeps the resources of services and of the machine's status as the events tell them, until it is disposed. */
export function followEvents(state: State, events: EventStore, log: Logger): AsyncDisposable {
  const stop = new AbortController();
  const follow = async () => {
    // A reader that was left behind starts again with the oldest event that is kept.
    while (!stop.signal.aborted) {
      for await (const { event } of events.read(events.ring.start, stop.signal)) {
        await take(state, event).catch((error: unknown) => {
          log.error({ event: event.kind, error: faultFrom(error).message }, 'resource cannot be kept');
        });
      }
    }
  };
  const ended = follow();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

async function take(state: State, event: NodeEvent): Promise<void> {
  const change = resourceChange(event);
  if (change === undefined) return;
  const { owner } = change;
  if (change.kind === 'put') {
    await putResource(state, change.resource, { owner });
    return;
  }
  await state.destroy(pointerTo(removable, change.id), { owner }).catch((error: unknown) => {
    if (faultFrom(error).kind !== 'not-found') throw error;
  });
}
