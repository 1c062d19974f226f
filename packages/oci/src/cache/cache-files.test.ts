import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFlatFiles } from './cache-files.ts';

const nobody = 65_534;

test('below() fails for a folder that cannot be read, and yields nothing of one that is missing', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'cache-files-'));
  const closed = join(root, 'open', 'closed');
  t.after(() => {
    // Only root can remove what it cannot read.
    chmodSync(closed, 0o755);
    rmSync(root, { recursive: true });
  });
  chmodSync(root, 0o755);
  mkdirSync(closed, { recursive: true });
  writeFileSync(join(root, 'open', 'a'), 'abc');
  const files = openFlatFiles(root);
  assert.deepEqual(await Array.fromAsync(files.below('missing')), []);
  const paths = async () => (await Array.fromAsync(files.below('open'))).map(({ path }) => path);
  assert.deepEqual(await paths(), ['open/a']);
  chmodSync(closed, 0);
  // Nothing is closed to root.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(nobody);
  try {
    await assert.rejects(paths(), { code: 'EACCES' });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
