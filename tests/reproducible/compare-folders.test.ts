import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { compareFolders, describeDifference } from './compare-folders.ts';

const work = mkdtempSync(join(tmpdir(), 'compare-folders-'));
after(() => rmSync(work, { recursive: true }));

function folder(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name, path)), { recursive: true });
    writeFileSync(join(work, name, path), content);
  }
  return join(work, name);
}

test('compareFolders() finds a byte, a length, a file, a link and a folder that differ', () => {
  const large = Buffer.alloc(3 << 20, 7);
  const changed = Buffer.from(large);
  changed.writeUInt8(8, (2 << 20) + 5);
  const common = { 'a/same': 'x', empty: '' };
  const first = folder('first', { ...common, large, long: 'ab', only: '', place: '', kind: '', target: '' });
  const second = folder('second', { ...common, large: changed, long: 'abc', 'place/x': '', target: '' });
  for (const [root, target] of [
    [first, 'empty'],
    [second, 'target'],
  ] as const) {
    symlinkSync(target, join(root, 'link'));
    symlinkSync('nowhere', join(root, 'dangling'));
  }
  symlinkSync('empty', join(second, 'kind'));
  const rows = compareFolders(first, second);
  assert.deepEqual(
    rows.flatMap((row) => (row.kind === 'same' ? row.name : [])),
    ['a/same', 'dangling', 'empty', 'target'],
  );
  assert.deepEqual(
    rows.flatMap((row) => (row.kind === 'same' ? [] : describeDifference(row))),
    [
      'kind is a file in one build, and something else in the other',
      `large differs from byte ${(2 << 20) + 5} on`,
      'link differs from byte 0 on',
      'long differs from byte 2 on',
      'only is missing in the second build',
      'place is missing in the second build',
      'place/x is missing in the first build',
    ],
  );
});

test('compareFolders() finds nothing in two folders with the same files of whole chunks', () => {
  const files = { whole: Buffer.alloc(1 << 20, 1), more: Buffer.alloc((1 << 20) + 1, 2) };
  assert.deepEqual(compareFolders(folder('third', files), folder('fourth', files)), [
    { name: 'more', kind: 'same', bytes: (1 << 20) + 1 },
    { name: 'whole', kind: 'same', bytes: 1 << 20 },
  ]);
});
