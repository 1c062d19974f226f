import assert from 'node:assert/strict';
import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { listClusters } from '../list-clusters.ts';
import { startLockingProcess } from '../testing/locking-process.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { holdSocketLock } from './socket-lock.ts';

/** A user without rights. */
const nobody = 65534;
const isRoot = process.geteuid?.() === 0;

/** The clusters of a user, with one cluster. */
async function openClusters() {
  const home = await openTemporaryFolder();
  const folder = join(home.path, 'lab');
  await mkdir(folder, { mode: 0o700 });
  for (const path of [home.path, folder]) await chown(path, nobody, nobody);
  const locks = `
    const lock = await lockCluster({ clustersFolder: ${JSON.stringify(home.path)}, name: 'lab' });
    const other = await holdSocketLock({ folder: ${JSON.stringify(folder)}, name: 'supervisor' }, () => ({}));
    say(other === undefined ? 'refused' : 'held');`;
  return { folder, home: home.path, locks, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

test('a user gets the locks that a killed command of root had', {
  skip: !isRoot && 'needs root',
}, async () => {
  await using clusters = await openClusters();
  await using ofRoot = startLockingProcess(clusters.locks);
  assert.equal(await ofRoot.said, 'held');
  {
    await using early = startLockingProcess(clusters.locks, nobody);
    assert.match(await early.said, /^another command \(pid \d+\) is changing cluster "lab"/);
  }
  await ofRoot.kill();
  await using ofUser = startLockingProcess(clusters.locks, nobody);
  assert.equal(await ofUser.said, 'held');
});

test('a lock that a user may not look at is named', { skip: !isRoot && 'needs root' }, async () => {
  await using clusters = await openClusters();
  {
    await using ofRoot = startLockingProcess(clusters.locks);
    assert.equal(await ofRoot.said, 'held');
    await ofRoot.kill();
  }
  const [entry = ''] = (await readdir(clusters.folder)).filter((name) => name.endsWith('.sock'));
  const path = join(clusters.folder, entry);
  await chmod(path, 0o600);
  await rm(join(clusters.home, '.lab.lock'), { recursive: true });
  await using ofUser = startLockingProcess(clusters.locks, nobody);
  assert.equal(
    await ofUser.said,
    `${path} belongs to another user, so nobody can see whether its process still runs: end that process, or remove the file`,
  );
});

test('a folder that others can look into has no socket that they can connect to', async () => {
  await using home = await openTemporaryFolder();
  const modes: number[] = [];
  for (const mode of [0o700, 0o755]) {
    await chmod(home.path, mode);
    await using _lock = await holdSocketLock({ folder: home.path, name: 'change' }, () => ({}));
    const [entry = ''] = await readdir(home.path);
    modes.push((await lstat(join(home.path, entry))).mode & 0o777);
  }
  assert.deepEqual(modes, [0o666, 0o600]);
});

test('listClusters() leaves out the folders of locks, even those that it cannot read', async () => {
  await using home = await openTemporaryFolder();
  for (const name of ['.lab.lock', 'damaged'])
    await mkdir(join(home.path, name, 'state.yaml'), { recursive: true });
  assert.deepEqual(await listClusters(home.path), ['damaged']);
});
