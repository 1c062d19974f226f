import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitsPattern } from './fits-pattern.ts';

test('fitsPattern() says what the regular expression of the pattern says', () => {
  const expressionOf = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`, 'i');
  const pattern = fc.string({ unit: fc.constantFrom('a', 'B', '.', '*', '?'), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom('A', 'b', '.'), maxLength: 10 });
  fc.assert(
    fc.property(pattern, text, (one, other) =>
      assert.equal(fitsPattern(one, other), expressionOf(one).test(other)),
    ),
    { seed: 45, numRuns: 5_000 },
  );
});

test('fitsPattern() takes no longer for many stars', () => {
  // The regular expression of this pattern has not ended after minutes.
  assert.equal(fitsPattern(`${'*a'.repeat(64)}*b`, 'a'.repeat(4_096)), false);
});
