import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenBucket } from './token-bucket.ts';

test('TokenBucket allows a burst, then as many events as its rate', () => {
  const bucket = new TokenBucket({ burst: 3, perSecond: 2 });
  assert.deepEqual(
    [0, 0, 0, 0, 499, 500, 500, 10_000].map((nowMs) => bucket.take(nowMs)),
    [true, true, true, false, false, true, false, true],
  );
  assert.deepEqual([bucket.isFull(10_000), bucket.isFull(10_500)], [false, true]);
});
