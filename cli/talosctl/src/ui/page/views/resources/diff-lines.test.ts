import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diffLines, nearChanges } from './diff-lines.ts';

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

test('nearChanges() leaves out what is far from a change', () => {
  const before = 'abcdefghij'.split('').join('\n');
  const shown = nearChanges(diffLines(before, before.replace('e', 'E')), 1);
  assert.deepEqual(
    shown.map(({ kind, text }) => `${kind} ${text}`),
    ['left ', 'same d', 'removed e', 'added E', 'same f', 'left '],
  );
  assert.deepEqual(nearChanges(diffLines(before, before), 1), [{ kind: 'left', text: '' }]);
});
