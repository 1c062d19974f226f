import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from './retry-schedule.ts';

test('backoffMs() grows from half a second to a minute', () => {
  assert.deepEqual([1, 2, 3, 100].map(backoffMs), [500, 750, 1125, 60_000]);
});
