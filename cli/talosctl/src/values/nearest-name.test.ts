import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editDistance, nearestName } from './nearest-name.ts';

test('editDistance() counts edits, and a swap of adjacent characters as one', () => {
  const rows: [string, string, number][] = [
    ['', '', 0],
    ['', 'abc', 3],
    ['memory', 'memory', 0],
    ['memroy', 'memory', 1],
    ['memry', 'memory', 1],
    ['logs', 'dogs', 1],
    ['kitten', 'sitting', 3],
  ];
  assert.deepEqual(
    rows.map(([from, to]) => editDistance(from, to)),
    rows.map(([, , distance]) => distance),
  );
});

test('editDistance() is symmetric, and zero only for equal texts', () => {
  const text = fc.string({ maxLength: 6 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(editDistance(a, b), editDistance(b, a));
      assert.equal(editDistance(a, b) === 0, a === b);
    }),
  );
});

test('nearestName() returns a similar name, and nothing for a dissimilar one', () => {
  const names = ['memory', 'mounts', 'logs', 'processes', 'ps'];
  assert.deepEqual(
    ['memry', 'proc', 'log', 'm', 'xyzzy', 'zz', 'lots', 'nope', ''].map((text) => nearestName(text, names)),
    ['memory', 'processes', 'logs', undefined, undefined, undefined, 'logs', undefined, undefined],
  );
});
