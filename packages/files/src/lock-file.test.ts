import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFile } from './lock-file.ts';

test('lockFile() holds a file for one caller after the other, and leaves nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lock-'));
  const path = join(folder, 'config.lock');
  let holders = 0;
  const hold = async () => {
    await using _lock = await lockFile(path);
    holders += 1;
    assert.equal(holders, 1);
    await new Promise((resolve) => setImmediate(resolve));
    holders -= 1;
  };
  await Promise.all(Array.from({ length: 8 }, hold));
  assert.deepEqual(await readdir(folder), []);
  await rm(folder, { recursive: true });
});

test('lockFile() says what to do about a lock without a process, as kubectl leaves it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lock-'));
  const path = join(folder, 'config.lock');
  await writeFile(path, '');
  await assert.rejects(lockFile(path), {
    kind: 'unavailable',
    message: `${path} is locked, by kubectl perhaps: delete the file if no kubectl runs`,
  });
  assert.deepEqual(await readdir(folder), ['config.lock']);
  await rm(folder, { recursive: true });
});

test('lockFile() works for a name with a newline, and escapes it in what it says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lock-'));
  const path = join(folder, 'con\nfig\u001b[2J.lock');
  {
    await using _lock = await lockFile(path);
    assert.deepEqual(await readdir(folder), ['con\nfig\u001b[2J.lock']);
  }
  await writeFile(path, '');
  await assert.rejects(lockFile(path), {
    message: `"${folder}/con\\nfig\\u001b[2J.lock" is locked, by kubectl perhaps: delete the file if no kubectl runs`,
  });
  const missing = join(folder, 'no\nfolder', 'a');
  await assert.rejects(lockFile(missing), {
    message: /^"[^\n]*no\\nfolder\/a" cannot be written: /,
  });
  await rm(folder, { recursive: true });
});
