import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FrameStream } from './frame-stream.ts';
import { StreamTable } from './stream-table.ts';

const stream = (id: number) => ({ id, nextInSlot: undefined }) as unknown as FrameStream;
/** Numbers of streams: few, so that they meet again, and some that share a slot in a table of any size. */
const id = fc.oneof(
  fc.integer({ min: 0, max: 200 }).map((index) => 2 * index + 1),
  fc.integer({ min: 0, max: 40 }).map((index) => 65_536 * index + 1),
);

test('StreamTable finds what a Map would find, whatever is added and deleted', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), id), { maxLength: 600 }), (steps) => {
      const table = new StreamTable();
      const expected = new Map<number, FrameStream>();
      for (const [isAdded, number] of steps) {
        if (!isAdded) {
          table.delete(expected.get(number) ?? stream(number));
          expected.delete(number);
        } else if (!expected.has(number)) {
          const added = stream(number);
          table.add(added);
          expected.set(number, added);
        }
        assert.equal(table.size, expected.size);
        assert.equal(table.get(number), expected.get(number));
      }
      for (const [number, added] of expected) assert.equal(table.get(number), added);
      assert.deepEqual(
        table.all().map((each) => each.id),
        [...expected.keys()].sort((left, right) => left - right),
      );
    }),
  );
});

test('StreamTable with 2,048 streams of one slot finds each', () => {
  const table = new StreamTable();
  const ids = Array.from({ length: 2048 }, (_, index) => index * 1_048_576 + 1);
  for (const number of ids) table.add(stream(number));
  assert.deepEqual(
    table.all().map((each) => each.id),
    ids,
  );
  for (const number of ids) table.delete(table.get(number) as FrameStream);
  assert.equal(table.size, 0);
  assert.equal(table.get(1), undefined);
});
