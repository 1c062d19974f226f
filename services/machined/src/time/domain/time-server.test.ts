import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeServerOf } from './time-server.ts';

test('timeServerOf() is the first configured server, or the default of Talos', () => {
  assert.equal(timeServerOf(['a:1', 'b']), 'a:1');
  assert.equal(timeServerOf([]), 'time.cloudflare.com');
});
