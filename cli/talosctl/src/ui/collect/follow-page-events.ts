import { followEvents } from '../../dashboard/feed/follow-events.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Follows the events of a node, beginning with past ones. After a failure they come again, and the page knows their ids. */
export function followPageEvents(context: PageFeedContext): Promise<void> {
  return followEvents({
    ...context,
    emit(event) {
      if (event.kind !== 'happened') return;
      const events = event.events.map(({ actorId: actor, ...rest }) => ({ ...rest, actor }));
      context.emit({ kind: 'events', events });
    },
  });
}
