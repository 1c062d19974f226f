import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventIds } from './event-id.ts';
import { EventRing } from './event-ring.ts';
import { type EventTail, firstPosition } from './event-selection.ts';

/** A ring with one event per second, numbered from 0, the first at second 1000. */
function ringOf(count: number): { ring: EventRing<number>; ids: string[] } {
  let seconds = 1000;
  const next = createEventIds({
    now: () => seconds * 1000,
    machine: new Uint8Array(3),
    pid: 1,
    firstCounter: 5,
  });
  const ring = new EventRing<number>();
  const ids = Array.from({ length: count }, (_, number) => {
    const id = next();
    ring.append({ id, actorId: '', event: number });
    seconds += 1;
    return id;
  });
  return { ring, ids };
}

const nothing: EventTail = { tailEvents: 0, tailId: '', tailSeconds: 0 };

test('a stream of events begins where its request says, and with the next event by default', () => {
  const { ring, ids } = ringOf(20);
  const first = (tail: Partial<EventTail>) => firstPosition(ring, { ...nothing, ...tail }, 1020_500);
  assert.deepEqual(
    [
      first({}),
      first({ tailEvents: 3 }),
      first({ tailEvents: 500 }),
      first({ tailEvents: -1 }),
      first({ tailId: ids[4] as string }),
      first({ tailId: ids[19] as string }),
      first({ tailId: '0'.repeat(20) }),
      first({ tailId: `${'v'.repeat(19)}g` }),
      first({ tailSeconds: 5 }),
      first({ tailSeconds: 100 }),
      first({ tailSeconds: -5 }),
    ],
    [20, 17, 0, 0, 5, 20, 0, 20, 15, 0, 20],
  );
});

test('a stream of events begins at most 990 events back, and a reader 1000 behind is lost', () => {
  const { ring, ids } = ringOf(2500);
  const first = (tail: Partial<EventTail>) => firstPosition(ring, { ...nothing, ...tail }, 3500_000);
  assert.deepEqual(
    [
      first({ tailEvents: -1 }),
      first({ tailEvents: 5000 }),
      first({ tailId: ids[3] as string }),
      first({ tailSeconds: 9999 }),
    ],
    [1510, 1510, 1510, 1510],
  );
  const at = (position: number) => {
    const event = ring.at(position);
    return typeof event === 'object' ? event.event : event;
  };
  assert.deepEqual([at(1500), at(1501), at(1510), at(2499), at(2500)], ['lost', 1501, 1510, 2499, undefined]);
});

test('a request with two start positions is refused', () => {
  const { ring } = ringOf(2);
  const refused = (tail: Partial<EventTail>) => {
    try {
      return firstPosition(ring, { ...nothing, ...tail }, 0);
    } catch (error) {
      return String(error);
    }
  };
  const byId =
    "Fault: WithTailID can't be specified at the same time with WithTailEvents or WithTailDuration";
  const byTime =
    "Fault: WithTailDuration can't be specified at the same time with WithTailEvents or WithTailID";
  const tailId = '0'.repeat(20);
  assert.deepEqual(
    [
      refused({ tailId, tailEvents: 1 }),
      refused({ tailId, tailSeconds: 1 }),
      refused({ tailId, tailEvents: -1, tailSeconds: 1 }),
      refused({ tailEvents: 1, tailSeconds: 1 }),
    ],
    [byId, byId, byId, byTime],
  );
});
