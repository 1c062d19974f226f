import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './make-folder.ts';

test('makeFolder() creates missing folders with the mode, and accepts existing ones', async () => {
  const root = mkdtempSync(join(tmpdir(), 'folder-'));
  try {
    const path = join(root, 'a', 'b', 'c');
    await Promise.all([makeFolder(path, 0o700), makeFolder(path, 0o700)]);
    await makeFolder(path);
    assert.equal(statSync(path).mode & 0o777, 0o700);
    writeFileSync(join(root, 'file'), '');
    await assert.rejects(makeFolder(join(root, 'file')), { code: 'EEXIST' });
    await assert.rejects(makeFolder(join(root, 'file', 'below')), { code: 'ENOTDIR' });
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('makeFolder() fails where the kernel does not allow new folders', { timeout: 60_000 }, async () => {
  await assert.rejects(makeFolder('/proc/nodewright/below'), { code: 'ENOENT' });
});
