// Statfs.
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { after, test } from 'node:test';
import { StorageServiceDefinition } from '@nodewright/contract/gen/machine/storage.ts';
import { makeFileTree } from './harness/file-tree.ts';
import { startNode } from './harness/node-under-test.ts';

const node = await startNode({ obeysModes: true });
const tree = await makeFileTree(node.root);
after(async () => {
  await tree[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});
const storage = node.client(StorageServiceDefinition, 'os:reader');

test('Statfs returns the space of the file system that a file, a folder or the target of a link is on', async () => {
  const { bsize, blocks, files } = statfsSync(node.root, { bigint: true });
  for (const path of ['/', '', '/data', 'data/deep', '/data/hello.txt', '/data/absolute', '/../data']) {
    const space = await storage.statfs({ path });
    assert.deepEqual([space.size, space.inodes], [bsize * blocks, files], path);
    assert.equal(space.inodesUsed + space.inodesFree, files);
    assert.ok(space.used > 0n && space.used + space.available <= space.size, path);
  }
  assert.equal((await storage.statfs({ path: '/proc' })).size, 0n);
});

test('Statfs names the path that does not exist or is no folder', async () => {
  await assert.rejects(storage.statfs({ path: '/data/none' }), {
    code: 2,
    details: 'lstat /data/none: no such file or directory',
  });
  await assert.rejects(storage.statfs({ path: '/data/hello.txt/x' }), { code: 2 });
});

test('Statfs needs a role that reads', async () => {
  const guest = node.client(StorageServiceDefinition);
  await assert.rejects(guest.statfs({ path: '/' }), { code: 7, details: 'not authorized' });
});
