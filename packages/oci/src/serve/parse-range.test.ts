import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRange } from './parse-range.ts';

test('parseRange() takes one range, and ignores what it does not understand', () => {
  assert.deepEqual(parseRange('bytes=0-3', 10), { start: 0, end: 4 });
  assert.deepEqual(parseRange('bytes=4-', 10), { start: 4, end: 10 });
  assert.deepEqual(parseRange('bytes=-4', 10), { start: 6, end: 10 });
  assert.deepEqual(parseRange('bytes=-40', 10), { start: 0, end: 10 });
  assert.deepEqual(parseRange('bytes=8-99', 10), { start: 8, end: 10 });
  for (const header of [undefined, '', 'bytes=', 'bytes=-', 'bytes=5-4', 'bytes=0-1,3-4', 'lines=0-1'])
    assert.equal(parseRange(header, 10), 'whole');
  for (const header of ['bytes=10-', 'bytes=99-100', 'bytes=-0'])
    assert.equal(parseRange(header, 10), 'unsatisfiable');
  assert.equal(parseRange('bytes=-1', 0), 'unsatisfiable');
});

test('parseRange() stays within the blob', () => {
  const header = fc.oneof(
    fc.string(),
    fc.tuple(fc.nat(), fc.nat()).map(([first, last]) => `bytes=${first}-${last}`),
    fc.nat().map((count) => `bytes=-${count}`),
  );
  fc.assert(
    fc.property(header, fc.nat(), (text, size) => {
      const range = parseRange(text, size);
      if (typeof range === 'string') return;
      assert.ok(0 <= range.start && range.start < range.end && range.end <= size);
    }),
  );
});
