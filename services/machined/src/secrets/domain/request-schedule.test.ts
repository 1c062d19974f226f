import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestPausesMs } from './request-schedule.ts';

test('the pauses between certificate requests match those of Talos, with jitter', () => {
  assert.deepEqual(
    requestPausesMs(() => 0),
    [0, 1000, 3000, 7000, 15000, 31000],
  );
  assert.deepEqual(
    requestPausesMs(() => 0.999),
    [0, 1099, 3099, 7099, 15099, 31099],
  );
});
