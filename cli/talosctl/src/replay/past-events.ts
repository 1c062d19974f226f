import type { Event, EventsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { eventTime } from '../values/event-time.ts';

/**
 * The events of an archive that a request selects. A period counts back from the collection of the archive, or from its last event when
 * it does not say when that was: at the time of the command no event of an archive is recent.
 *
 * @param events the oldest first
 * @param collectedMs Unix ms
 */
export function pastEvents(
  events: readonly Event[],
  { tailEvents, tailId, tailSeconds, withActorId }: EventsRequest,
  collectedMs: number | undefined,
): readonly Event[] {
  const chosen =
    tailId !== ''
      ? events.filter(({ id }) => id > tailId)
      : tailSeconds !== 0
        ? eventsSince(events, tailSeconds, collectedMs)
        : lastOf(events, tailEvents);
  return withActorId === '' ? chosen : chosen.filter(({ actorId }) => actorId === withActorId);
}

function eventsSince(events: readonly Event[], seconds: number, collectedMs: number | undefined) {
  const times = events.map(({ id }) => eventTime(id)?.getTime());
  const endMs = collectedMs ?? times.findLast((time) => time !== undefined);
  if (endMs === undefined) return [];
  const sinceMs = (Math.floor(endMs / 1000) - seconds) * 1000;
  return events.filter((_, at) => (times[at] ?? Number.NEGATIVE_INFINITY) >= sinceMs);
}

/** The last ones: none for 0, all for a negative number. */
export function lastOf<T>(items: readonly T[], count: number): readonly T[] {
  if (count < 0) return items;
  return count === 0 ? [] : items.slice(-count);
}
