import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { type CallStart, StartQueue } from './start-queue.ts';

const never = 1_000_000;
const limits = { fewest: 2, most: 5, crowd: 100, spacingMs: never, holdMs: never };

/** Enters so many calls of a caller, and keeps a list of those that have begun. */
function enterMany(queue: StartQueue, count: number, caller = 'a') {
  const begun: number[] = [];
  const starts: CallStart[] = Array.from({ length: count }, (_, index) => {
    const start = queue.enter(caller);
    if (start.turn === undefined) begun.push(index);
    else void start.turn.then(() => begun.push(index));
    return start;
  });
  return { begun, starts };
}

test('StartQueue lets few calls of a caller begin, the others in the order in which they came', async () => {
  const queue = new StartQueue({ ...limits, most: 2 });
  const { begun, starts } = enterMany(queue, 5);
  assert.equal(queue.enter('b').turn, undefined);
  assert.deepEqual(begun, [0, 1]);
  starts[1]?.leave(false);
  starts[1]?.leave(false);
  await turn();
  assert.deepEqual(begun, [0, 1, 2]);
  starts[0]?.leave(false);
  starts[2]?.leave(false);
  await turn();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('StartQueue lets more calls begin while calls end with an answer, up to the most', async () => {
  const queue = new StartQueue(limits);
  const { begun, starts } = enterMany(queue, 20);
  const counts = [begun.length];
  for (let index = 0; index < 5; index += 1) {
    starts[index]?.leave(false);
    await turn();
    // Those that have begun and not left.
    counts.push(begun.length - index - 1);
  }
  assert.deepEqual(counts, [2, 3, 4, 5, 5, 5]);
});

test('StartQueue halves what may begin at each cancel, and gives its place to the next one later', async () => {
  const queue = new StartQueue({ ...limits, spacingMs: 1 });
  const { begun, starts } = enterMany(queue, 30);
  for (let index = 0; index < 4; index += 1) starts[index]?.leave(false);
  await turn();
  assert.equal(begun.length, 4 + 5);
  for (let index = 4; index < 8; index += 1) starts[index]?.leave(true);
  assert.equal(begun.length, 4 + 5);
  await sleep(20);
  assert.equal(begun.length, 8 + 2);
});

test('StartQueue does not begin calls that are cancelled together with those before them', async () => {
  const queue = new StartQueue(limits);
  const { begun, starts } = enterMany(queue, 30);
  for (const start of starts) start.leave(true);
  await turn();
  assert.deepEqual(begun.slice(0, 2), [0, 1]);
  // The others were told that they have left, not that it is their turn.
  assert.equal(queue.enter('a').turn === undefined, false);
});

test('StartQueue lets few calls of a crowd of callers begin, in turns, and the first of each at once', async () => {
  const queue = new StartQueue({ ...limits, crowd: 3 });
  const callers = ['a', 'b', 'c', 'd'].map((caller) => enterMany(queue, 3, caller));
  const counts = () => callers.map(({ begun }) => begun.length);
  assert.deepEqual(counts(), [2, 1, 1, 1]);
  // Five have begun: two must leave before one may begin that waited.
  callers[0]?.starts[0]?.leave(false);
  callers[0]?.starts[1]?.leave(false);
  await turn();
  assert.deepEqual(counts(), [2, 1, 1, 1]);
  callers[1]?.starts[0]?.leave(false);
  await turn();
  assert.deepEqual(counts(), [3, 1, 1, 1]);
  callers[2]?.starts[0]?.leave(false);
  callers[3]?.starts[0]?.leave(false);
  await turn();
  // Those that waited longest for their turn come first.
  assert.deepEqual(counts(), [3, 2, 2, 1]);
  assert.equal(queue.enter('e').turn, undefined);
});

test('StartQueue takes a call that is cancelled while it waits out of the queue, and forgets callers without calls', async () => {
  const queue = new StartQueue(limits);
  const starts = Array.from({ length: 4 }, () => queue.enter('a'));
  starts[2]?.leave(true);
  await starts[2]?.turn;
  starts[0]?.leave(false);
  await starts[3]?.turn;
  for (const start of starts) start.leave(false);
  assert.equal(queue.size, 0);
  assert.equal(queue.enter('a').turn, undefined);
});

for (const [what, short, step] of [
  ['one that was made has no answer for long', { holdMs: 1 }, (start: CallStart) => start.made()],
  [
    'the answer of one has begun a while ago',
    { spacingMs: 1 },
    (start: CallStart) => {
      start.made();
      start.answering();
    },
  ],
] as const) {
  test(`StartQueue lets the next call begin when ${what}`, async () => {
    const queue = new StartQueue({ ...limits, fewest: 1, most: 1, ...short });
    const [first, second] = [queue.enter('a'), queue.enter('a')];
    const held = setInterval(() => {}, 10);
    step(first);
    await second.turn;
    clearInterval(held);
    first.leave(false);
    second.leave(false);
    assert.equal(queue.size, 0);
  });
}

test('StartQueue does not keep a caller waiting for the calls of one whose window is full', async () => {
  const queue = new StartQueue({ ...limits, crowd: 3 });
  const { begun, starts } = enterMany(queue, 20, 'busy');
  for (let index = 0; index < 5; index += 1) {
    starts[index]?.leave(false);
    await turn();
  }
  // Five calls are on their way, more than a crowd may have.
  assert.equal(begun.length, 10);
  const other = enterMany(queue, 2, 'other');
  assert.deepEqual(other.begun, [0, 1]);
  // At a cancel the window is not full any more, and the calls that are on their way count again.
  starts[5]?.leave(true);
  const late = enterMany(queue, 2, 'late');
  assert.deepEqual(late.begun, [0]);
});

test('StartQueue remembers the window of a caller whose calls were answered, and forgets those of the longest absent', () => {
  const queue = new StartQueue(limits);
  const answerOne = (caller: string) => queue.enter(caller).leave(false);
  for (let call = 0; call < 2; call += 1) answerOne('a');
  assert.equal(queue.size, 0);
  assert.deepEqual(enterMany(queue, 9, 'a').begun, [0, 1, 2, 3]);

  answerOne('b');
  for (let other = 0; other < 1024; other += 1) answerOne(`other ${other}`);
  assert.deepEqual(enterMany(queue, 9, 'b').begun, [0, 1]);
});
