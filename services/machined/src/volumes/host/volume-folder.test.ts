import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createVolumeFolders } from './volume-folder.ts';

test('make() gives the mode to the folder of the volume, and none of its parents is closed to other users', async (context) => {
  const root = await mkdtemp(join(tmpdir(), 'volume-folder-'));
  context.after(() => rm(root, { recursive: true }));
  await createVolumeFolders(root).make('/system/state', 0o700);
  const modeOf = async (path: string) => (await stat(join(root, path))).mode & 0o777;
  assert.deepEqual([await modeOf('system'), await modeOf('system/state')], [0o755, 0o700]);
});
