import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settleTimeMs } from './settle-time.ts';

test('settleTimeMs() reads the last duration on the command line, at most an hour', () => {
  const times = [
    '',
    'panic=10',
    'talos.device.settle_time=1m30s',
    'talos.device.settle_time=1m talos.device.settle_time=2s\n',
    'talos.device.settle_time=soon',
    'talos.device.settle_time=-5s',
    'talos.device.settle_time=900h',
  ].map(settleTimeMs);
  assert.deepEqual(times, [0, 0, 90_000, 2000, 0, 0, 3_600_000]);
});
