import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readVersionFile, writeVersionFile } from './version-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'etcd-version-'));
after(() => rm(folder, { recursive: true, force: true }));
const path = join(folder, 'etcd.version');

test('the version file holds the version that was written last', async () => {
  assert.equal(await readVersionFile(path), undefined);
  for (const minor of [6, 7]) {
    await writeVersionFile(path, { major: 3, minor });
    assert.deepEqual(await readVersionFile(path), { major: 3, minor });
  }
  assert.deepEqual(await readdir(folder), ['etcd.version']);
});

test('a version file with other text counts as none, and one that cannot be read is a failure', async () => {
  await writeFile(path, 'not a version');
  assert.equal(await readVersionFile(path), undefined);
  await mkdir(join(folder, 'a-folder'));
  await assert.rejects(readVersionFile(join(folder, 'a-folder')), /a-folder/);
});
