import type { Event } from '@nodewright/contract/gen/machine/machine.ts';
import { Batch, keepTrying } from '../../dashboard/feed/feed-context.ts';
import { readEvent } from '../../event-text.ts';
import { eventTime } from '../../event-time.ts';
import type { EventEntry } from '../protocol/messages.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Events from before the page was opened. */
const pastEvents = 1000;

/** Follows the events of a node. After a failure it continues behind the last one that arrived. */
export function followEvents({ node, signal, emit }: PageFeedContext): Promise<void> {
  let last = '';
  return keepTrying(
    signal,
    async () => {
      const batch = new Batch<EventEntry>((events) => emit({ kind: 'events', events }));
      const from = last === '' ? { tailEvents: pastEvents, tailId: '' } : { tailEvents: 0, tailId: last };
      const request = { ...from, tailSeconds: 0, withActorId: '' };
      try {
        for await (const event of node.machine.events(request, { signal })) {
          const entry = entryOf(event);
          if (entry === undefined) continue;
          last = entry.id;
          batch.add([entry]);
        }
      } finally {
        batch.flush();
      }
    },
    (message) => emit({ kind: 'problem', message }),
  );
}

function entryOf({ id, actorId, data }: Event): EventEntry | undefined {
  const event = readEvent(data);
  if (event === undefined) return undefined;
  const { type, source, message } = event;
  return {
    ...{ id, atMs: eventTime(id)?.getTime(), actor: actorId, source, message },
    type: type.replace(/^machine\./, ''),
  };
}
