import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootTimeMs } from './boot-time.ts';

test('bootTimeMs() subtracts the whole seconds of the uptime', () => {
  assert.equal(bootTimeMs(100_000, '60.99 100.00\n'), 40_000);
});
