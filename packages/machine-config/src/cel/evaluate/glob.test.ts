import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesGlob } from './glob.ts';

/** As a sentence: a star is any text, and everything else is itself. */
const slowly = (pattern: string, text: string) =>
  new RegExp(`^${pattern.split('*').map(RegExp.escape).join('[^]*')}$`).test(text);

test('matchesGlob() matches what a regular expression with any text for each star matches', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '?'), maxLength: 8 });
  fc.assert(
    fc.property(short, short, (pattern, text) => {
      assert.equal(matchesGlob(pattern, text), slowly(pattern, text));
    }),
    { numRuns: 2_000, seed: 48 },
  );
});

test('matchesGlob() does not let the beginning and the end of a pattern overlap', () => {
  assert.equal(matchesGlob('ab*ba', 'aba'), false);
  assert.equal(matchesGlob('ab*ba', 'abba'), true);
  assert.equal(matchesGlob('*', ''), true);
  assert.equal(matchesGlob('', 'a'), false);
});
