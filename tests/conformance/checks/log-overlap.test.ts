import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameLog, overlapOf } from './log-overlap.ts';

const linesOf = (first: number, last: number) =>
  Array.from(
    { length: last - first + 1 },
    (_, at) => `line ${String(first + at).padStart(6, '0')} of a log\n`,
  );
const log = (first: number, last: number) => Buffer.from(linesOf(first, last).join(''));

test('isSameLog() accepts a log that has grown, and a full one that has dropped its oldest bytes', () => {
  assert.ok(isSameLog(log(1, 500), log(1, 500)));
  assert.ok(isSameLog(log(1, 500), log(1, 503)));
  // A ring buffer may begin in the middle of a line.
  const everything = log(1, 1010);
  assert.ok(isSameLog(everything.subarray(7, 20_000), everything.subarray(107, 20_100)));
  assert.deepEqual(overlapOf(everything.subarray(7, 20_000), everything.subarray(107, 20_100)), {
    droppedBytes: 100,
    addedBytes: 100,
  });
});

test('isSameLog() rejects a log with lost or reordered lines', () => {
  const all = log(1, 1000);
  assert.ok(!isSameLog(all, Buffer.concat([log(1, 300), log(302, 1001)])), 'a line in the middle is lost');
  const swapped = [...linesOf(1, 400), ...linesOf(402, 402), ...linesOf(401, 401), ...linesOf(403, 1001)];
  assert.ok(!isSameLog(all, Buffer.from(swapped.join(''))), 'two lines are swapped');
  assert.ok(!isSameLog(all, Buffer.from(linesOf(1, 1000).reverse().join(''))), 'all are reversed');
  assert.ok(!isSameLog(all, log(901, 1001)), 'only the last hundred came');
  assert.ok(!isSameLog(all, log(2, 1000)), 'the oldest is gone and nothing is new');
  assert.ok(!isSameLog(all, Buffer.alloc(0)), 'nothing came');
  assert.ok(!isSameLog(all, log(1, 999)), 'the newest is lost');
});
