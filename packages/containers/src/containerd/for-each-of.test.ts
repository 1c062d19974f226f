import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachOf } from './for-each-of.ts';
import { createTurns } from './turns.ts';

test('forEachOf() processes every item, within the concurrency limit', async () => {
  let [now, most] = [0, 0];
  const seen: number[] = [];
  await forEachOf([1, 2, 3, 4, 5, 6, 7], 3, undefined, async (item) => {
    now += 1;
    most = Math.max(most, now);
    await sleep(1);
    seen.push(item);
    now -= 1;
  });
  assert.deepEqual([seen.sort(), most], [[1, 2, 3, 4, 5, 6, 7], 3]);
});

test('forEachOf() fails with the first failure, after the other items have ended', async () => {
  const ended: string[] = [];
  const work = forEachOf(['fails', 'waits', 'never'], 2, undefined, async (item, signal) => {
    if (item === 'fails') throw new Error('first');
    await sleep(60_000, undefined, { signal }).catch(() => ended.push(item));
    throw new Error('second');
  });
  await assert.rejects(work, /first/);
  assert.deepEqual(ended, ['waits']);
});

test('createTurns() keeps the order per key, also after failures, and does not block other keys', async () => {
  const inTurn = createTurns();
  const order: string[] = [];
  const act = (key: string, name: string, ms: number) =>
    inTurn(key, async () => {
      await sleep(ms);
      order.push(name);
      if (name === 'a2') throw new Error(name);
    });
  const results = await Promise.allSettled([
    act('a', 'a1', 30),
    act('a', 'a2', 1),
    act('b', 'b1', 1),
    act('a', 'a3', 1),
  ]);
  assert.deepEqual(order, ['b1', 'a1', 'a2', 'a3']);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
});
