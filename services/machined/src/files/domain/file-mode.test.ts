import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileKindOf, goFileMode } from './file-mode.ts';

/** The bits of Go's FileMode, each with the `st_mode` that it represents. */
const bits: [number, (mode: number) => boolean][] = [
  [31, (mode) => (mode & 0o170000) === 0o040000],
  [27, (mode) => (mode & 0o170000) === 0o120000],
  [26, (mode) => [0o020000, 0o060000].includes(mode & 0o170000)],
  [25, (mode) => (mode & 0o170000) === 0o010000],
  [24, (mode) => (mode & 0o170000) === 0o140000],
  [23, (mode) => (mode & 0o4000) !== 0],
  [22, (mode) => (mode & 0o2000) !== 0],
  [21, (mode) => (mode & 0o170000) === 0o020000],
  [20, (mode) => (mode & 0o1000) !== 0],
  [19, (mode) => fileKindOf(mode) === undefined],
];

test('goFileMode() sets exactly the bits that Go sets, for every st_mode', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff }), (mode) => {
      const expected = bits.filter(([, isSet]) => isSet(mode)).map(([bit]) => bit);
      const go = goFileMode(mode);
      const found = Array.from({ length: 32 }, (_, index) => 31 - index).filter(
        (bit) => Math.floor(go / 2 ** bit) % 2 === 1 && bit > 8,
      );
      assert.deepEqual(found, expected);
      assert.equal(go % 512, mode & 0o777);
    }),
  );
});

test('goFileMode() returns the same numbers as Go for common files', () => {
  const rows: [number, number][] = [
    [0o100644, 0o644],
    [0o040755, 0x8000_01ed],
    [0o120777, 0x0800_01ff],
    [0o041777, 0x8010_01ff],
    [0o104755, 0x0080_01ed],
    [0o020666, 0x0420_01b6],
    [0o060660, 0x0400_01b0],
  ];
  for (const [mode, go] of rows) assert.equal(goFileMode(mode), go, mode.toString(8));
});
