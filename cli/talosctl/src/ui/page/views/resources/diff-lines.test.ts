import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diffLines } from './diff-lines.ts';

test('diffLines() finds the lines that differ', () => {
  const lines = diffLines('a\nb\nc\nd', 'a\nx\nc\nd\ne');
  assert.deepEqual(
    lines.map(({ kind, text }) => `${kind[0]}${text}`),
    ['sa', 'rb', 'ax', 'sc', 'sd', 'ae'],
  );
});

test('diffLines() contains both texts completely', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      const without = (kind: string) =>
        lines
          .filter((line) => line.kind !== kind)
          .map((line) => line.text)
          .join('\n');
      assert.deepEqual([without('added'), without('removed')], [before, after]);
    }),
  );
});

test('diffLines() gives up on the order of very long texts, not on their content', () => {
  const long = (letter: string) => Array.from({ length: 3000 }, (_, at) => `${letter}${at}`).join('\n');
  assert.equal(diffLines(long('a'), long('b')).length, 6000);
});
