import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LogRing } from './log-ring.ts';

const capacityBytes = 50;
const pieces = fc.array(
  fc
    .array(fc.constantFrom('a', 'bc', '\n', 'long words here ', '\n\n'), { maxLength: 12 })
    .map((words) => words.join('')),
  { maxLength: 20 },
);

function ringOf(texts: readonly string[]): LogRing {
  const ring = new LogRing(capacityBytes, 4);
  for (const text of texts) ring.append(Buffer.from(text));
  return ring;
}

test('a log ring keeps the last bytes of everything that was written', () => {
  fc.assert(
    fc.property(pieces, fc.nat(200), fc.nat(60), (texts, offset, limit) => {
      const all = texts.join('');
      const ring = ringOf(texts);
      const startOffset = Math.max(0, all.length - capacityBytes);
      assert.deepEqual([ring.startOffset, ring.endOffset], [startOffset, all.length]);

      const from = Math.min(Math.max(offset, startOffset), all.length);
      const { bytes, nextOffset } = ring.read(offset, limit);
      assert.equal(bytes.toString(), all.slice(from, from + limit));
      assert.equal(nextOffset, from + bytes.length);
    }),
  );
});

test('a log ring finds the start of the last lines', () => {
  fc.assert(
    fc.property(pieces, fc.integer({ min: -2, max: 8 }), (texts, lines) => {
      const ring = ringOf(texts);
      const kept = texts.join('').slice(-capacityBytes);
      const parts = kept.split(/(?<=\n)/).filter((part) => part !== '');
      const expected = lines < 0 ? kept : parts.slice(parts.length - Math.min(lines, parts.length)).join('');
      const offset = ring.offsetOfLastLines(lines);
      assert.equal(ring.read(offset, capacityBytes).bytes.toString(), expected);
    }),
  );
});

test('a log ring accepts a piece that is larger than its capacity', () => {
  const ring = ringOf(['start ', 'x'.repeat(200), 'end']);
  assert.equal(ring.read(0, 1000).bytes.toString(), `${'x'.repeat(47)}end`);
  assert.equal(ring.endOffset, 209);
});

test('a log ring returns copies, which later writes do not change', () => {
  const ring = ringOf(['first']);
  const { bytes } = ring.read(0, 5);
  ring.append(Buffer.from('x'.repeat(100)));
  assert.equal(bytes.toString(), 'first');
});
