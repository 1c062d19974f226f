import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { nodePaths } from '@nodewright/contract';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { hasEtcdData, isNodeWiped } from './node-contents.ts';

async function openNodes() {
  const path = await mkdtemp(join(tmpdir(), 'nodes-'));
  const folder = clusterFolder(path);
  return {
    folder,
    async place(node: string, file: string) {
      const at = join(folder.nodeRoot(node), file);
      await mkdir(dirname(at), { recursive: true });
      return at;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true }),
  };
}

// A link to itself stands for every error of a file that cannot be read, also for root.

test('isNodeWiped() takes a configuration that cannot be looked at for no missing one', async () => {
  await using nodes = await openNodes();
  await writeFile(await nodes.place('node01', nodePaths.machineConfig), 'version: v1alpha1\n');
  const loop = await nodes.place('node02', nodePaths.machineConfig);
  await symlink(loop, loop);
  await nodes.place('node03', nodePaths.machineConfig);
  const seen = ['node01', 'node02', 'node03', 'node04'].map((node) => isNodeWiped(nodes.folder, node));
  assert.deepEqual(seen, [false, false, true, true]);
});

test('hasEtcdData() fails for data that cannot be looked at', async () => {
  await using nodes = await openNodes();
  await mkdir(await nodes.place('node01', `${nodePaths.etcdData}/member`));
  await nodes.place('node02', `${nodePaths.etcdData}/member`);
  const loop = await nodes.place('node03', nodePaths.etcdData);
  await symlink(loop, loop);
  const has = (node: string) => hasEtcdData(nodes.folder, node);
  assert.deepEqual([has('node01'), has('node02'), has('node04')], [true, false, false]);
  assert.throws(() => has('node03'), { name: 'Fault' });
});
