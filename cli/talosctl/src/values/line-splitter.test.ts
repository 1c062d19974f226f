import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

function linesOf(chunks: readonly Uint8Array[]): string[] {
  const splitter = new LineSplitter();
  return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()];
}

test('a LineSplitter yields the same lines for any division into chunks', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '😀'), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 60 }), { maxLength: 6 }), (whole, cuts) => {
      const bytes = Buffer.from(whole);
      const edges = [
        0,
        ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const chunks = edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
      const expected = whole.split('\n');
      if (expected.at(-1) === '') expected.pop();
      assert.deepEqual(linesOf(chunks), expected);
    }),
  );
});

test('a LineSplitter splits a line that is too long', () => {
  const half = Buffer.alloc(700_000, 'x');
  assert.deepEqual(
    linesOf([half, half, half]).map((line) => line.length),
    [1_400_000, 700_000],
  );
});
