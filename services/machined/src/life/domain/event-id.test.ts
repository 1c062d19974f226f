import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEventIds, parseEventId, secondsOfEventId } from './event-id.ts';

const source = { machine: new Uint8Array([0xaa, 0xbb, 0xcc]), pid: 0x1234, firstCounter: 0 };

test('an event id has the second, the machine, the process and a counter in 20 characters', () => {
  const next = createEventIds({ ...source, now: () => 0x5f_00_00_00 * 1000 + 999, firstCounter: 0x010203 });
  const hex = '5f000000aabbcc1234010203';
  const bits = [...hex].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
  const expected = [...`${bits}0000`.matchAll(/.{5}/g)].map(([group]) =>
    Number.parseInt(group, 2).toString(32),
  );
  assert.equal(next(), expected.join(''));
});

test('a later event id is greater, even if the clock is set back or the counter overflows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 4_000_000_000 }), { minLength: 2, maxLength: 50 }),
      fc.integer({ min: 2 ** 24 - 60, max: 2 ** 24 - 1 }),
      (seconds, firstCounter) => {
        const clock = [...seconds];
        const next = createEventIds({ ...source, firstCounter, now: () => (clock.shift() ?? 0) * 1000 });
        const ids = seconds.map(() => next());
        assert.deepEqual(ids.toSorted(), ids);
        assert.equal(new Set(ids).size, ids.length);
        for (const id of ids) assert.equal(parseEventId(id), id);
        assert.ok(secondsOfEventId(ids[0] as string) >= (seconds[0] as number));
      },
    ),
  );
});

test('an invalid event id is refused and quoted', () => {
  for (const text of [
    'x',
    '9m4e2mr0ui3e8a215n4',
    '9m4e2mr0ui3e8a215n4gg',
    '9M4E2MR0UI3E8A215N4G',
    'w'.repeat(20),
  ]) {
    assert.throws(() => parseEventId(text), {
      kind: 'unknown',
      message: `error parsing tail_id: "${text}" is not the id of an event: 20 characters of 0-9 and a-v`,
    });
  }
});
