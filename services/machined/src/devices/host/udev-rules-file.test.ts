import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeUdevRules } from './udev-rules-file.ts';

test('writeUdevRules() writes only what has changed, for every reader', async () => {
  const root = await mkdtemp(join(tmpdir(), 'udev-rules-'));
  try {
    const path = join(root, 'rules.d', '99-talos.rules');
    assert.equal(await writeUdevRules(path, ''), false);
    assert.deepEqual(await readdir(root), []);
    assert.equal(await writeUdevRules(path, 'KERNEL=="vda"\n'), true);
    assert.equal(await writeUdevRules(path, 'KERNEL=="vda"\n'), false);
    assert.equal(await readFile(path, 'utf8'), 'KERNEL=="vda"\n');
    assert.equal((await stat(path)).mode & 0o777, 0o644);
    assert.equal(await writeUdevRules(path, ''), true);
    assert.equal(await readFile(path, 'utf8'), '');
  } finally {
    await rm(root, { recursive: true });
  }
});
