import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { StartQueue } from './start-queue.ts';

const limits = { atOnce: 2, holdMs: 1_000_000 };

test('StartQueue lets so many calls of a caller begin, the others in the order in which they came', async () => {
  const queue = new StartQueue(limits);
  const begun: number[] = [];
  const starts = Array.from({ length: 5 }, (_, index) => {
    const start = queue.enter('a');
    if (start.turn === undefined) begun.push(index);
    else void start.turn.then(() => begun.push(index));
    return start;
  });
  assert.equal(queue.enter('b').turn, undefined);
  assert.deepEqual(begun, [0, 1]);
  starts[1]?.leave();
  starts[1]?.leave();
  await turn();
  assert.deepEqual(begun, [0, 1, 2]);
  starts[0]?.leave();
  starts[2]?.leave();
  await turn();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('StartQueue takes a call that is cancelled while it waits out of the queue, and forgets callers without calls', async () => {
  const queue = new StartQueue(limits);
  const starts = Array.from({ length: 4 }, () => queue.enter('a'));
  starts[2]?.leave();
  await starts[2]?.turn;
  starts[0]?.leave();
  await starts[3]?.turn;
  for (const start of starts) start.leave();
  assert.equal(queue.size, 0);
  assert.equal(queue.enter('a').turn, undefined);
});

test('StartQueue lets the next call begin when one that was made has no end for long', async () => {
  const queue = new StartQueue({ atOnce: 1, holdMs: 1 });
  const first = queue.enter('a');
  const second = queue.enter('a');
  const held = setInterval(() => {}, 10);
  first.made();
  await second.turn;
  clearInterval(held);
  first.leave();
  second.leave();
  assert.equal(queue.size, 0);
});
