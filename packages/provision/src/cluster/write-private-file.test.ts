import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writePrivateFile } from './write-private-file.ts';

test('writePrivateFile() replaces the whole file with mode 0600, and leaves no temporary file', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'deep', 'er', 'file');
  const umask = process.umask(0);
  try {
    await writePrivateFile(path, 'a longer first content');
    await writePrivateFile(path, 'second');
  } finally {
    process.umask(umask);
  }
  const mode = async (at: string) => ((await stat(at)).mode & 0o777).toString(8);
  assert.deepEqual(
    [await readFile(path, 'utf8'), await mode(path), await mode(join(folder.path, 'deep'))],
    ['second', '600', '700'],
  );
  assert.deepEqual(await readdir(join(folder.path, 'deep', 'er')), ['file']);
});

test('writePrivateFile() leaves no temporary file when it fails', async () => {
  await using folder = await temporaryFolder();
  await assert.rejects(writePrivateFile(folder.path, 'a folder cannot be replaced by a file'), (error) => {
    assert.ok(error instanceof Error && error.message.startsWith(`cannot write "${folder.path}": `));
    return true;
  });
  assert.deepEqual(await readdir(folder.path), []);
});

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'provision-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
