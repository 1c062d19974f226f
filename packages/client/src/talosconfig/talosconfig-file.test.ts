import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { emptyContext, emptyTalosconfig, withContext } from './talosconfig.ts';
import { readTalosconfig, saveTalosconfig, updateTalosconfig } from './talosconfig-file.ts';

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'talosconfig-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

const config = withContext({ ...emptyTalosconfig, context: 'a' }, 'a', emptyContext);

test('saveTalosconfig() creates a private folder and file, and leaves no other file behind', async (t) => {
  const path = join(await folder(t), 'talos', 'config');
  await saveTalosconfig({ path, writable: true }, config);
  const modes = [join(path, '..'), path].map((name) => (statSync(name).mode & 0o777).toString(8));
  assert.deepEqual(
    { modes, files: readdirSync(join(path, '..')) },
    { modes: ['700', '600'], files: ['config'] },
  );
  assert.deepEqual(await readTalosconfig(path), config);
});

test('saveTalosconfig() replaces the target of a symbolic link and keeps the link', async (t) => {
  const root = await folder(t);
  mkdirSync(join(root, 'real'));
  writeFileSync(join(root, 'real', 'config'), '');
  symlinkSync(join(root, 'real', 'config'), join(root, 'link'));
  await saveTalosconfig({ path: join(root, 'link'), writable: true }, config);
  assert.equal(lstatSync(join(root, 'link')).isSymbolicLink(), true);
  assert.match(readFileSync(join(root, 'real', 'config'), 'utf8'), /^context: a$/m);
});

test('saveTalosconfig() refuses a file that is mounted read-only', async () => {
  await assert.rejects(saveTalosconfig({ path: '/nowhere/config', writable: false }, config), {
    kind: 'permission-denied',
    message: 'talosconfig /nowhere/config is mounted read-only and cannot be saved',
  });
});

test('readTalosconfig() returns an empty configuration for a missing file, and names an unreadable file', async (t) => {
  const root = await folder(t);
  assert.deepEqual(await readTalosconfig(join(root, 'none')), emptyTalosconfig);
  await assert.rejects(readTalosconfig(root), {
    message: new RegExp(`^talosconfig ${root} cannot be read: EISDIR`),
  });
});

test('updateTalosconfig() loses no change when several run at once', async (t) => {
  const root = await folder(t);
  const location = { path: join(root, 'config'), writable: true };
  const names = Array.from({ length: 12 }, (_, index) => `cluster-${index}`);
  await Promise.all(
    names.map((name) => updateTalosconfig(location, (before) => withContext(before, name, emptyContext))),
  );
  assert.deepEqual([...(await readTalosconfig(location.path)).contexts.keys()].sort(), names.sort());
  assert.deepEqual(readdirSync(root), ['config']);
});

test('updateTalosconfig() loses nothing through two names of a file, and keeps a link to a file that did not exist', async (t) => {
  const root = await folder(t);
  mkdirSync(join(root, 'real'));
  const names = [join(root, 'link'), join(root, 'real', 'config')];
  symlinkSync(join('real', 'config'), join(root, 'link'));
  const added = Array.from({ length: 10 }, (_, index) => `c${index}`);
  await Promise.all(
    added.map((name, index) =>
      updateTalosconfig({ path: names[index % 2] ?? '', writable: true }, (before) =>
        withContext(before, name, emptyContext),
      ),
    ),
  );
  assert.equal(lstatSync(join(root, 'link')).isSymbolicLink(), true);
  assert.deepEqual([...(await readTalosconfig(join(root, 'real', 'config'))).contexts.keys()].sort(), added);
  assert.deepEqual(
    [readdirSync(root).sort(), readdirSync(join(root, 'real'))],
    [['link', 'real'], ['config']],
  );
});

test('updateTalosconfig() takes over the lock of a process that died', async (t) => {
  const root = await folder(t);
  const location = { path: join(root, 'config'), writable: true };
  // Larger than any process id of Linux.
  writeFileSync(`${location.path}.lock`, '99999999\n');
  await updateTalosconfig(location, () => config);
  assert.deepEqual(readdirSync(root), ['config']);
});

test('updateTalosconfig() does not write the file when the change function throws', async (t) => {
  const root = await folder(t);
  const location = { path: join(root, 'config'), writable: true };
  await saveTalosconfig(location, config);
  const before = readFileSync(location.path, 'utf8');
  await assert.rejects(
    updateTalosconfig(location, () => {
      throw new Error('no');
    }),
    { message: 'no' },
  );
  assert.deepEqual(
    { text: readFileSync(location.path, 'utf8'), files: readdirSync(root) },
    { text: before, files: ['config'] },
  );
});
