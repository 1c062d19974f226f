import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesLabels } from './label-query.ts';

test('matchesLabels() runs in bounded time for numbers of millions of digits', { timeout: 5000 }, () => {
  const value = '9'.repeat(30_000_000);
  const started = performance.now();
  for (const label of ['5', value]) {
    assert.equal(
      matchesLabels({ size: label }, [[{ key: 'size', operation: 'less-numeric', value }]]),
      false,
    );
  }
  assert.ok(performance.now() - started < 2000);
});
