import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNodeIdentity } from './node-identity-file.ts';

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'identity-'));
  const path = join(folder, 'node-identity.yaml');
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test('openNodeIdentity() creates an id once and then returns the same id', async () => {
  await using folder = await openFolder();
  const nodeId = await openNodeIdentity(folder.path);
  assert.match(nodeId, /^[0-9A-Za-z]{40,43}$/);
  assert.equal(await openNodeIdentity(folder.path), nodeId);
  assert.equal(await readFile(folder.path, 'utf8'), `nodeId: ${nodeId}\n`);
  assert.equal((await stat(folder.path)).mode & 0o777, 0o600);
});

test('openNodeIdentity() fails on an invalid file and does not replace it', async () => {
  await using folder = await openFolder();
  await writeFile(folder.path, '');
  await assert.rejects(openNodeIdentity(folder.path), { kind: 'data-loss', message: /node-identity\.yaml/ });
});
