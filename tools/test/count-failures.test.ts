import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFailures } from './count-failures.ts';

test('countFailures() counts the rounds of a test together, the most frequent first', () => {
  const names = [
    'a.test.ts: members are listed',
    'b.test.ts: reset --wait ends (1 of 20)',
    'b.test.ts: reboot --wait ends (3 of 20)',
    'b.test.ts: reboot --wait ends (12 of 20)',
  ];
  assert.deepEqual(countFailures(names, 20), [
    'failed 2 of 20 times: b.test.ts: reboot --wait ends',
    'failed 1 of 20 times: a.test.ts: members are listed',
    'failed 1 of 20 times: b.test.ts: reset --wait ends',
  ]);
  assert.deepEqual(countFailures([], 20), []);
});
