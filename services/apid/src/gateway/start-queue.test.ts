import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { type CallStart, StartQueue } from './start-queue.ts';

const never = 1_000_000;
const ignored = { begin() {} };
const limits = { fewest: 2, most: 5, mostAlone: 5, crowd: 100, spacingMs: never, holdMs: never };

/** Enters calls of one caller. `begun` lists the indexes of those that have started. */
function enterMany(queue: StartQueue, count: number, caller = 'a') {
  const begun: number[] = [];
  const starts: CallStart[] = Array.from({ length: count }, (_, index) => {
    const start = queue.enter(caller, { begin: () => begun.push(index) });
    if (!start.waits) begun.push(index);
    return start;
  });
  return { begun, starts };
}

test('StartQueue starts few calls of a caller at once, the others in order of arrival', async () => {
  const queue = new StartQueue({ ...limits, most: 2, mostAlone: 2 });
  const { begun, starts } = enterMany(queue, 5);
  assert.equal(queue.enter('b', ignored).waits, false);
  assert.deepEqual(begun, [0, 1]);
  starts[1]?.leave(false);
  starts[1]?.leave(false);
  assert.deepEqual(begun, [0, 1, 2]);
  starts[0]?.leave(false);
  starts[2]?.leave(false);
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test('StartQueue starts more calls as calls end with a response, up to the maximum', async () => {
  const queue = new StartQueue(limits);
  const { begun, starts } = enterMany(queue, 20);
  const counts = [begun.length];
  for (let index = 0; index < 5; index += 1) {
    starts[index]?.leave(false);
    // Calls that have started and not left.
    counts.push(begun.length - index - 1);
  }
  assert.deepEqual(counts, [2, 3, 4, 5, 5, 5]);
});

test('StartQueue starts fewer calls of a caller as calls fail, down to the minimum', async () => {
  const queue = new StartQueue({ ...limits, spacingMs: 1 });
  const { begun, starts } = enterMany(queue, 30);
  const counts: number[] = [];
  for (let index = 0; index < 8; index += 1) {
    starts[index]?.leave(false, index >= 3);
    const expected = [3, 4, 5, 4, 3, 2, 2, 2][index] ?? 0;
    // Calls that have started and not left.
    const open = () => begun.length - index - 1;
    await eventually(() => open() >= expected, { what: `call in the place of call ${index}`, pollMs: 1 });
    counts.push(open());
  }
  assert.deepEqual(counts, [3, 4, 5, 4, 3, 2, 2, 2]);
});

test('StartQueue frees the place of a failed call later, so that a caller cannot fail as fast as it calls', async () => {
  const queue = new StartQueue({ ...limits, spacingMs: never });
  const { begun, starts } = enterMany(queue, 30);
  for (const start of starts) start.leave(false, true);
  assert.deepEqual(begun, [0, 1]);
  assert.equal(queue.enter('a', ignored).waits, true);
  assert.equal(queue.enter('b', ignored).waits, false);

  const soon = new StartQueue({ ...limits, spacingMs: 1 });
  const fails = enterMany(soon, 6);
  for (const count of [2, 4, 6]) {
    for (const start of fails.starts.slice(0, count)) start.leave(false, true);
    if (count < 6) await eventually(() => fails.begun.length === count + 2, { what: 'two more calls' });
  }
  assert.deepEqual(fails.begun, [0, 1, 2, 3, 4, 5]);
});

test('StartQueue halves the window at each cancel, and frees the place of the call later', async () => {
  const queue = new StartQueue({ ...limits, spacingMs: 1 });
  const { begun, starts } = enterMany(queue, 30);
  for (let index = 0; index < 4; index += 1) starts[index]?.leave(false);
  assert.equal(begun.length, 4 + 5);
  for (let index = 4; index < 8; index += 1) starts[index]?.leave(true);
  assert.equal(begun.length, 4 + 5);
  await eventually(() => begun.length === 8 + 2, { what: 'start of two more calls' });
});

test('StartQueue does not start calls that are cancelled together with those before them', async () => {
  const queue = new StartQueue(limits);
  const { begun, starts } = enterMany(queue, 30);
  for (const start of starts) start.leave(true);
  assert.deepEqual(begun, [0, 1]);
  assert.equal(queue.enter('a', ignored).waits, true);
});

test('StartQueue limits the starting calls of many callers, but starts the first of each at once', async () => {
  const queue = new StartQueue({ ...limits, crowd: 3 });
  const callers = ['a', 'b', 'c', 'd'].map((caller) => enterMany(queue, 3, caller));
  const counts = () => callers.map(({ begun }) => begun.length);
  assert.deepEqual(counts(), [2, 1, 1, 1]);
  // Five calls have started: three must leave before a waiting call may start.
  callers[0]?.starts[0]?.leave(false);
  callers[0]?.starts[1]?.leave(false);
  assert.deepEqual(counts(), [2, 1, 1, 1]);
  callers[1]?.starts[0]?.leave(false);
  assert.deepEqual(counts(), [3, 1, 1, 1]);
  callers[2]?.starts[0]?.leave(false);
  callers[3]?.starts[0]?.leave(false);
  // The callers that have waited longest for their turn come first.
  assert.deepEqual(counts(), [3, 2, 2, 1]);
  assert.equal(queue.enter('e', ignored).waits, false);
});

test('StartQueue removes a cancelled call from the queue, and forgets callers without calls', async () => {
  const queue = new StartQueue(limits);
  const { begun, starts } = enterMany(queue, 4);
  starts[2]?.leave(true);
  starts[0]?.leave(false);
  assert.deepEqual(begun, [0, 1, 3]);
  for (const start of starts) start.leave(false);
  assert.equal(queue.size, 0);
  assert.equal(queue.enter('a', ignored).waits, false);
});

for (const [what, short, step] of [
  ['a call has no response for a while after its start', { holdMs: 1 }, () => {}],
  ['the response of a call has begun a while ago', { spacingMs: 1 }, (start: CallStart) => start.answering()],
] as const) {
  test(`StartQueue starts the next call when ${what}`, async () => {
    const queue = new StartQueue({ ...limits, fewest: 1, most: 1, mostAlone: 1, ...short });
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
    const [first, second] = [queue.enter('a', ignored), queue.enter('a', { begin })];
    const held = setInterval(() => {}, 10);
    step(first);
    await turn;
    clearInterval(held);
    first.leave(false);
    second.leave(false);
    assert.equal(queue.size, 0);
  });
}

test('StartQueue counts the time of a waiting call from its own start', () => {
  let nowMs = 0;
  const due: (() => void)[] = [];
  const after = (_delayMs: number, action: () => void) => {
    due.push(action);
    return { [Symbol.dispose]() {} };
  };
  const one = { ...limits, fewest: 1, most: 1, mostAlone: 1, spacingMs: 20, holdMs: 250 };
  const queue = new StartQueue(one, () => nowMs, { after });
  const { begun } = enterMany(queue, 3);
  const startedAtMs: number[] = [];
  for (; nowMs < 1000; nowMs += 10) {
    for (const action of due.splice(0)) action();
    if (begun.length > startedAtMs.length) startedAtMs.push(nowMs);
  }
  assert.deepEqual(startedAtMs, [0, 250, 500]);
});

test('StartQueue takes a place back from a call that cannot be sent, and keeps the window of its caller', () => {
  const queue = new StartQueue(limits);
  const begun: number[] = [];
  const starts: CallStart[] = [];
  for (let index = 0; index < 5; index += 1) {
    const begin = () => {
      begun.push(index);
      starts[index]?.giveBack();
    };
    starts.push(queue.enter('a', { begin }));
  }
  starts[0]?.giveBack();
  assert.deepEqual(begun, [2, 3, 4]);
  starts[0]?.giveBack();
  starts[0]?.leave(false);
  starts[1]?.giveBack();
  assert.equal(queue.size, 0);
  assert.deepEqual(enterMany(queue, 5).begun, [0, 1]);
});

test('StartQueue does not delay a caller for the calls of one whose window is full', async () => {
  const queue = new StartQueue({ ...limits, crowd: 3 });
  const { begun, starts } = enterMany(queue, 20, 'busy');
  for (let index = 0; index < 5; index += 1) {
    starts[index]?.leave(false);
  }
  // Five calls are starting, more than `crowd`.
  assert.equal(begun.length, 10);
  const other = enterMany(queue, 2, 'other');
  assert.deepEqual(other.begun, [0, 1]);
  // The cancel makes the window smaller than `most`, so these starting calls count again.
  starts[5]?.leave(true);
  const late = enterMany(queue, 2, 'late');
  assert.deepEqual(late.begun, [0]);
});

test('StartQueue remembers the windows of the callers that were seen last', () => {
  const queue = new StartQueue(limits);
  const answerOne = (caller: string) => queue.enter(caller, ignored).leave(false);
  for (let call = 0; call < 2; call += 1) answerOne('a');
  assert.equal(queue.size, 0);
  assert.deepEqual(enterMany(queue, 9, 'a').begun, [0, 1, 2, 3]);

  answerOne('b');
  for (let other = 0; other < 1024; other += 1) answerOne(`other ${other}`);
  assert.deepEqual(enterMany(queue, 9, 'b').begun, [0, 1]);
});

test('StartQueue starts more calls of a caller with a full window while no other caller has calls', () => {
  const queue = new StartQueue({ ...limits, mostAlone: 8 });
  const { begun, starts } = enterMany(queue, 40);
  for (let index = 0; index < 3; index += 1) starts[index]?.leave(false);
  assert.equal(begun.length, 3 + 8);
  const other = queue.enter('other', ignored);
  assert.equal(other.waits, false);
  for (let index = 3; index < 6; index += 1) starts[index]?.leave(false);
  assert.equal(begun.length, 3 + 8);
  starts[6]?.leave(false);
  assert.equal(begun.length, 7 + 5);
  other.leave(false);
  assert.equal(begun.length, 7 + 8);
});

test('StartQueue makes a timer only while a call waits, and otherwise looks at the time when a call enters', () => {
  let nowMs = 0;
  const due: (() => void)[] = [];
  const after = (_delayMs: number, action: () => void) => {
    due.push(action);
    return { [Symbol.dispose]() {} };
  };
  const fewLimits = { ...limits, fewest: 1, most: 1, mostAlone: 1, spacingMs: 20, holdMs: 250 };
  const queue = new StartQueue(fewLimits, () => nowMs, { after });
  const first = queue.enter('a', ignored);
  first.answering();
  assert.equal(due.length, 0);
  // Its time has come, and no call was there to see it.
  nowMs = 30;
  const second = queue.enter('a', ignored);
  assert.equal(second.waits, false);
  assert.equal(due.length, 0);
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
  };
  assert.equal(queue.enter('a', { begin }).waits, true);
  for (; !hasBegun && nowMs < 1000; nowMs += 10) {
    const actions = due.splice(0);
    assert.equal(actions.length, 1);
    for (const action of actions) action();
  }
  assert.ok(nowMs >= 280 && nowMs <= 310, `it began after ${nowMs} ms`);
  assert.equal(due.length, 0);
});
