import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogAllowance } from './log-allowance.ts';

test('LogAllowance allows a burst, then some lines per second, and counts the omitted ones', () => {
  const allowance = new LogAllowance({ logBurst: 2, logPerSecond: 1 });
  const taken = [0, 0, 0, 500, 999, 1000, 1001, 60_000, 60_000, 60_000].map((nowMs) => allowance.take(nowMs));
  assert.deepEqual(taken, [0, 0, undefined, undefined, undefined, 3, undefined, 1, 0, undefined]);
});
