import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeStartedFile } from './started-file.ts';

test('writeStartedFile() renews the time of the file at each start, for each user to read', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'started-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'run', 'started');
  await writeStartedFile(path, 0);
  assert.equal(await readFile(path, 'utf8'), '1970-01-01T00:00:00.000Z\n');
  assert.equal((await stat(join(folder, 'run'))).mode & 0o777, 0o755);
  await utimes(path, 1, 1);
  await writeStartedFile(path, 0);
  assert.ok((await stat(path)).mtimeMs > 1000);
});
