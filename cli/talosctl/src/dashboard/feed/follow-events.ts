import { readEvent } from '../../nodes/event-text.ts';
import { eventTime } from '../../values/event-time.ts';
import type { EventLine } from '../model/event-log.ts';
import { Batch, type FeedContext, keepTrying } from './feed-context.ts';

const pastEvents = 300;

/** Follows the events of a node, beginning with past ones. */
export async function followEvents({ node, signal, emit }: FeedContext): Promise<void> {
  const request = { tailEvents: pastEvents, tailId: '', tailSeconds: 0, withActorId: '' };
  const follow = async () => {
    const batch = new Batch<EventLine>((events) => emit({ kind: 'happened', events }));
    try {
      for await (const { id, actorId, data } of node.machine.events(request, { signal })) {
        const event = readEvent(data);
        if (event === undefined) continue;
        const type = event.type.replace(/^machine\.(.*)Event$/, '$1');
        const { source, message } = event;
        batch.add([{ id, atMs: eventTime(id)?.getTime(), type, source, message, actorId }]);
      }
    } finally {
      batch.flush();
    }
  };
  // Why it cannot be followed is on the screen already: a node that is away is shown as such.
  await keepTrying(signal, follow, () => {});
}
