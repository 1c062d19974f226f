import assert from 'node:assert/strict';
import { chmod, chown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeClusterState } from '../domain/cluster-state.ts';
import { startLockingProcess } from '../testing/locking-process.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';

/** A user without rights, as root may write everywhere. */
const nobody = 65534;
const skip = process.geteuid?.() !== 0 && 'needs root, to be another user';

const state = encodeClusterState({
  ...{ provisioner: 'process', name: 'lab', phase: 'created', shape: { controlPlanes: 1, workers: 0 } },
  ...{ patchDigest: '', nodes: [] },
});

/** A folder of a user below one of root, with the state of the cluster `lab` in it. */
async function openData() {
  const home = await openTemporaryFolder();
  await chmod(home.path, 0o755);
  const folder = join(home.path, 'lab');
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, 'state.yaml'), state);
  for (const path of [folder, join(folder, 'state.yaml')]) await chown(path, nobody, nobody);
  return { home: home.path, folder, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

const holding = (clustersFolder: string) =>
  `const held = await holdCluster(${JSON.stringify({ name: 'lab', clustersFolder })}, undefined); say('held');`;

test('a cluster whose folder is a link is locked where the link is', { skip }, async () => {
  await using data = await openData();
  const clusters = join(data.home, 'clusters');
  await mkdir(clusters, { mode: 0o700 });
  await chown(clusters, nobody, nobody);
  await symlink(data.folder, join(clusters, 'lab'));
  await using holder = startLockingProcess(holding(clusters), nobody);
  assert.equal(await holder.said, 'held');
  assert.deepEqual((await readdir(clusters)).sort(), ['.lab.lock', 'lab']);
  await using other = startLockingProcess(holding(clusters), nobody);
  assert.equal(
    await other.said,
    `another command (pid ${holder.child.pid}) is changing cluster "lab": wait for it to end`,
  );
});

test('a folder of clusters that the user may not write to is named', { skip }, async () => {
  await using data = await openData();
  await using holder = startLockingProcess(holding(data.home), nobody);
  assert.equal(
    await holder.said,
    `cluster "lab" cannot be locked, because you may not write to ${data.home} (EACCES): use a folder of clusters of your own, or run the command as its owner`,
  );
});

test('a folder of clusters on a file system that is mounted read-only is named', { skip }, async (t) => {
  await using data = await openData();
  const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
  const wrapper = ['unshare', '--mount', 'sh', '-c', mount, data.home];
  await using holder = startLockingProcess(holding(data.home), undefined, wrapper);
  const said = await Promise.race([holder.said, holder.ended]);
  if (typeof said !== 'string') return t.skip('this host allows no mounts');
  assert.equal(
    said,
    `cluster "lab" cannot be locked, because the file system of ${data.home} is mounted read-only (EROFS)`,
  );
});
