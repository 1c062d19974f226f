import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from '../../domain/retry-schedule.ts';
import { requestPausesMs } from './request-schedule.ts';

test('the pauses of the certificate request and of the back-off are those of the reference', () => {
  assert.deepEqual(
    requestPausesMs(() => 0),
    [0, 1000, 3000, 7000, 15000, 31000],
  );
  assert.deepEqual(
    requestPausesMs(() => 0.999),
    [0, 1099, 3099, 7099, 15099, 31099],
  );
  assert.deepEqual([1, 2, 3, 100].map(backoffMs), [500, 750, 1125, 60_000]);
});
