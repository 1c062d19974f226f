import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { prefixRange } from './key-range.ts';

test('prefixRange() ends at the first key after all keys with the prefix', () => {
  const rows = [
    ['a', '61', '62'],
    ['nodes/', '6e6f6465732f', '6e6f64657330'],
    ['', '00', '00'],
  ] as const;
  for (const [prefix, key, rangeEnd] of rows) {
    const range = prefixRange(prefix);
    assert.deepEqual([range.key.toString('hex'), range.rangeEnd.toString('hex')], [key, rangeEnd]);
  }
});

test('prefixRange() contains exactly the keys that begin with the prefix', () => {
  const words = fc.string({ unit: 'binary', maxLength: 6 });
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
      words,
      fc.boolean(),
      (prefix, rest, under) => {
        const key = Buffer.from(under ? prefix + rest : rest);
        const range = prefixRange(prefix);
        const end = range.rangeEnd;
        const open = end.length === 1 && end[0] === 0;
        const inside = key.compare(range.key) >= 0 && (open || key.compare(end) < 0);
        const begins = key.subarray(0, range.key.length).equals(range.key);
        assert.equal(inside, begins);
      },
    ),
  );
});
