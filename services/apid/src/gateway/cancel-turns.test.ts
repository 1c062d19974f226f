import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { CancelTurns } from './cancel-turns.ts';

const limits = { perTurn: 3, intervalMs: 5, waiting: 10 };

/** `done` lists the forwarded cancels in order, such as `a1`, `a2`, `b1`. */
function openTurns() {
  const done: string[] = [];
  const turns = new CancelTurns(limits);
  const add = (caller: string, count: number) => {
    for (let index = 1; index <= count; index += 1)
      turns.add(caller, () => void done.push(`${caller}${index}`));
  };
  return { done, add };
}

test('CancelTurns forwards few cancels at once and the rest in turns', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { done, add } = openTurns();
    add('a', 3);
    assert.deepEqual(done, ['a1', 'a2', 'a3']);
    add('b', 5);
    assert.equal(done.length, 3);
    mock.timers.tick(5);
    assert.equal(done.length, 6);
    mock.timers.tick(5);
    assert.equal(done.length, 8);
    // One cancel leaves room in its interval, and a new interval has begun when `d` cancels.
    add('c', 1);
    mock.timers.tick(100);
    add('d', 3);
    assert.deepEqual(done.slice(8), ['c1', 'd1', 'd2', 'd3']);
  } finally {
    mock.timers.reset();
  }
});

test('CancelTurns alternates between callers, so that none waits for all cancels of another', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { done, add } = openTurns();
    add('a', 9);
    add('b', 2);
    mock.timers.tick(5);
    assert.deepEqual(done, ['a1', 'a2', 'a3', 'a4', 'b1', 'a5']);
    mock.timers.tick(5);
    assert.deepEqual(done.slice(6), ['b2', 'a6', 'a7']);
  } finally {
    mock.timers.reset();
  }
});

test('CancelTurns limits the number of waiting cancels', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const { done, add } = openTurns();
    add('a', 20);
    assert.deepEqual([done.length, done[3]], [10, 'a14']);
    for (let turn = 0; turn < 4; turn += 1) mock.timers.tick(5);
    assert.equal(done.length, 20);
  } finally {
    mock.timers.reset();
  }
});
