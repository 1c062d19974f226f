import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planListing } from './listing.ts';

const folder = 0o040755;
const file = 0o100644;
const depthOf = (root: string, recurse: boolean, recursionDepth: number) =>
  planListing(root, { recurse, recursionDepth, types: [] }).maxDepth;

test('planListing() uses the requested depth, and one level more below the root of the node', () => {
  const all = Number.POSITIVE_INFINITY;
  const rows: [string, boolean, number, number][] = [
    ['/a', false, 0, 1],
    ['/a', false, 7, 1],
    ['/a', true, 0, all],
    ['/a', true, -1, all],
    ['/a', true, -2147483648, all],
    ['/a', true, 1, 1],
    ['/a', true, 3, 3],
    ['/', false, 1, 1],
    ['/', true, 1, 2],
    ['/', true, 2147483647, 2147483648],
  ];
  for (const [root, recurse, depth, expected] of rows) {
    assert.equal(depthOf(root, recurse, depth), expected, `${root} ${recurse} ${depth}`);
  }
});

test('planListing() shows only the requested types and enters folders that it does not show', () => {
  const listing = planListing('/a', { recurse: false, recursionDepth: 0, types: [0, 2] });
  assert.deepEqual([file, folder, 0o120777, 0o010644].map(listing.shows), [true, false, true, false]);
  assert.equal(listing.entersFolder(9, folder), true);
  const plain = planListing('/a', { recurse: false, recursionDepth: 0, types: [] });
  assert.deepEqual([plain.entersFolder(0, folder), plain.entersFolder(1, folder)], [true, false]);
});

test('planListing() rejects an unknown file type', () => {
  assert.throws(() => planListing('/', { recurse: false, recursionDepth: 0, types: [3] }), {
    kind: 'invalid-argument',
    message: /unknown file type 3/,
  });
});
