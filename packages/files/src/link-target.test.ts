import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { linkTarget } from './link-target.ts';

test('linkTarget() follows links to a file, to nothing, and out of a linked folder', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'links-')));
  try {
    await mkdir(join(root, 'a', 'deep'), { recursive: true });
    await writeFile(join(root, 'a', 'file'), '');
    await symlink('a/deep', join(root, 'folder'));
    const rows: [link: string, to: string, target: string][] = [
      ['one', 'a/file', 'a/file'],
      ['two', 'one', 'a/file'],
      ['none', 'a/missing', 'a/missing'],
      ['folder/up', '../file', 'a/file'],
      ['absolute', join(root, 'two'), 'a/file'],
    ];
    for (const [link, to, target] of rows) {
      await symlink(to, join(root, link));
      assert.equal(await linkTarget(join(root, link)), join(root, target), link);
    }
    assert.equal(await linkTarget(join(root, 'a', 'file')), join(root, 'a', 'file'));
    await symlink('loop', join(root, 'loop'));
    await assert.rejects(linkTarget(join(root, 'loop')), { kind: 'failed-precondition' });
  } finally {
    await rm(root, { recursive: true });
  }
});
