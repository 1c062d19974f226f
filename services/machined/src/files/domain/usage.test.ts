import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showsUsage, type UsageRequest, wireSize } from './usage.ts';

const request: UsageRequest = { all: false, recursionDepth: 0, threshold: 0n };
const folder = { depth: 1, isFolder: true, size: 100n };

test('showsUsage() shows folders, files on request, and the requested path in any case', () => {
  const file = { ...folder, isFolder: false };
  assert.deepEqual(
    [
      showsUsage(request, folder),
      showsUsage(request, file),
      showsUsage({ ...request, all: true }, file),
      showsUsage(request, { ...file, depth: 0 }),
    ],
    [true, false, true, true],
  );
});

test('showsUsage() hides entries that are too deep, too small or too large', () => {
  const rows: [Partial<UsageRequest>, boolean][] = [
    [{ recursionDepth: 1 }, false],
    [{ recursionDepth: 2 }, true],
    [{ recursionDepth: -5 }, true],
    [{ threshold: 100n }, true],
    [{ threshold: 101n }, false],
    [{ threshold: -100n }, true],
    [{ threshold: -99n }, false],
    [{ threshold: -(2n ** 63n) }, true],
  ];
  for (const [change, expected] of rows)
    assert.equal(showsUsage({ ...request, ...change }, folder), expected);
});

test('wireSize() limits sizes to the largest signed 64-bit number', () => {
  assert.deepEqual([wireSize(5), wireSize(2 ** 63), wireSize(2 ** 80)], [5n, 2n ** 63n - 1n, 2n ** 63n - 1n]);
});
