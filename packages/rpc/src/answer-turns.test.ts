import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswerTurns } from './answer-turns.ts';

/** Turns of the event loop that the test makes, and calls whose handlers it ends. */
function openTurns() {
  const due: (() => void)[] = [];
  const middleware = createAnswerTurns((action) => void due.push(action));
  const ended: string[] = [];
  /** Begins a call whose handler ends with `work`. */
  const call = async (name: string, work: Promise<unknown>) => {
    const next = () => ({
      next: async () => ({ done: true, value: await work }),
      [Symbol.asyncIterator]: next,
    });
    const running = middleware({ next } as never, {} as never);
    try {
      await running.next();
    } catch (error) {
      ended.push(`${name} failed: ${(error as Error).message}`);
      return;
    }
    ended.push(name);
  };
  const turn = async () => {
    for (const action of due.splice(0)) action();
    await settled();
  };
  return { call, ended, turn, due };
}

/** All promises that can continue have done so. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('of calls that share their work one ends in each turn, in their order', async () => {
  const { call, ended, turn } = openTurns();
  const { promise: work, resolve } = Promise.withResolvers<void>();
  const names = Array.from({ length: 5 }, (_, index) => `call ${index}`);
  const calls = names.map((name) => call(name, work));
  await settled();
  assert.deepEqual(ended, []);
  resolve();
  await settled();
  for (let count = 1; count <= names.length; count += 1) {
    assert.deepEqual(ended, names.slice(0, count));
    await turn();
  }
  await Promise.all(calls);
});

test('a call that is ready alone ends at once, and leaves nothing for later turns', async () => {
  const { call, ended, turn, due } = openTurns();
  await call('first', Promise.resolve());
  assert.deepEqual(ended, ['first']);
  await turn();
  assert.deepEqual(due, []);
  await call('second', Promise.resolve());
  assert.deepEqual(ended, ['first', 'second']);
});

test('a call that fails takes its turn, and its error stays', async () => {
  const { call, ended, turn } = openTurns();
  await call('good', Promise.resolve());
  const bad = call('bad', Promise.reject(new Error('no disk')));
  await settled();
  assert.deepEqual(ended, ['good']);
  await turn();
  await bad;
  assert.deepEqual(ended, ['good', 'bad failed: no disk']);
});
