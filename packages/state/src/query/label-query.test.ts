import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesLabels } from './label-query.ts';

test('matchesLabels() runs in bounded time for numbers of millions of digits', () => {
  const value = '9'.repeat(30_000_000);
  const started = process.cpuUsage();
  for (const label of ['5', value]) {
    assert.equal(
      matchesLabels({ size: label }, [[{ key: 'size', operation: 'less-numeric', value }]]),
      false,
    );
  }
  // CPU time of this process only. A comparison as numbers would take hours.
  assert.ok(process.cpuUsage(started).user < 20e6);
});
