import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerAddress } from './caller-address.ts';

test('callerAddress() takes the port off', () => {
  assert.deepEqual(
    [
      '10.5.0.5:41234',
      '[fd00::5]:41234',
      '[::ffff:10.5.0.5]:1',
      '::ffff:10.5.1.3:55812',
      'fd00::5:41234',
      'unix:/run/x.sock',
      'unix:1',
      'unknown',
      '',
      '10.5.0.5',
    ].map(callerAddress),
    ['10.5.0.5', 'fd00::5', '::ffff:10.5.0.5', '::ffff:10.5.1.3', 'fd00::5', '', '', '', '', ''],
  );
});
