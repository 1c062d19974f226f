import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openLogFile } from './log-file.ts';

const root = mkdtempSync(join(tmpdir(), 'log-file-'));
after(() => rmSync(root, { recursive: true }));
const read = (path: string) => readFileSync(path, 'utf8');

test('openLogFile() appends to an existing file, which its group may read', () => {
  const path = join(root, 'a.log');
  for (const line of ['first\n', 'second\n']) {
    using file = openLogFile(path);
    file.write(line);
    assert.ok(read(path).endsWith(line));
  }
  assert.equal(read(path), 'first\nsecond\n');
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test('openLogFile() rotates a full file and keeps at most two files', () => {
  const path = join(root, 'c.log');
  using file = openLogFile(path, { rotateBytes: 10 });
  for (const line of ['one-\n', 'two-\n', 'three-\n', 'four-\n', 'five-\n']) file.write(line);
  assert.deepEqual(
    [read(`${path}.1`), read(path), readdirSync(root).filter((name) => name.startsWith('c.'))],
    ['three-\nfour-\n', 'five-\n', ['c.log', 'c.log.1']],
  );
});

test('openLogFile() rotates nothing but regular files', () => {
  // Links stand for /dev/null and /dev/stdout, which a daemon of root can rename.
  for (const [name, target] of [
    ['null', '/dev/null'],
    ['stdout', join(root, 'd.log')],
  ] as const) {
    const path = join(root, name);
    symlinkSync(target, path);
    using file = openLogFile(path, { rotateBytes: 10 });
    for (const line of ['one-\n', 'two-\n', 'three-\n']) file.write(line);
    assert.deepEqual(
      [lstatSync(path).isSymbolicLink(), readdirSync(root).filter((each) => each.startsWith(name))],
      [true, [name]],
    );
  }
  assert.equal(read(join(root, 'd.log')), 'one-\ntwo-\nthree-\n');
});

test('openLogFile() throws when the file cannot be opened, but ignores a full disk', () => {
  assert.throws(() => openLogFile(join(root, 'none', 'x.log')), { code: 'ENOENT' });
  using full = openLogFile('/dev/full');
  full.write('lost\n');
});
