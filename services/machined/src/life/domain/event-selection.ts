import { Fault } from '@nodewright/fault';
import { parseEventId, secondsOfEventId } from './event-id.ts';
import type { EventPosition, EventRing } from './event-ring.ts';

/** The fields of an Events request that select where its stream begins. Zero and empty mean not set. */
export interface EventTail {
  readonly tailEvents: number;
  readonly tailId: string;
  readonly tailSeconds: number;
}

const exclusions = [
  ['WithTailID', 'WithTailEvents or WithTailDuration'],
  ['WithTailDuration', 'WithTailEvents or WithTailID'],
] as const;

/**
 * Where a stream begins: with the next event unless the request selects past ones. Times have a resolution of
 * one second. Source: Talos v1.14: events, request options.
 *
 * @throws Fault `unknown` for more than one of the options, and for an invalid id.
 */
export function firstPosition<Event>(
  ring: EventRing<Event>,
  { tailEvents, tailId, tailSeconds }: EventTail,
  nowMs: number,
): EventPosition {
  if ([tailEvents !== 0, tailId !== '', tailSeconds !== 0].filter(Boolean).length > 1) {
    const [option, others] = exclusions[tailId !== '' ? 0 : 1];
    throw new Fault('unknown', `${option} can't be specified at the same time with ${others}`);
  }
  if (tailId !== '') {
    const last = parseEventId(tailId);
    return ring.firstWhere(({ id }) => id > last);
  }
  if (tailSeconds !== 0) {
    const since = Math.floor(nowMs / 1000) - tailSeconds;
    return ring.firstWhere(({ id }) => secondsOfEventId(id) >= since);
  }
  if (tailEvents < 0) return ring.start;
  return Math.max(ring.start, ring.end - tailEvents);
}
