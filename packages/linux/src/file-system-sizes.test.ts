import assert from 'node:assert/strict';
import { readFileSync, statfsSync } from 'node:fs';
import { test } from 'node:test';
import { createBoundedCalls } from './bounded-calls.ts';
import { createFileSystemSizes } from './file-system-sizes.ts';
import { parseMounts } from './parse-mounts.ts';

const calls = createBoundedCalls();
const sizes = createFileSystemSizes({ timeoutMs: 60_000, remote: calls, disks: calls });
const mount = (mountPoint: string) => ({ source: 'x', mountPoint, type: 'x', options: [] });

test('createFileSystemSizes() returns bytes of the file system at a mount point', async () => {
  const { bsize, blocks } = statfsSync('/', { bigint: true });
  const size = await sizes.sizeOf(mount('/'));
  assert.equal(size.sizeBytes, bsize * blocks);
  assert.ok(size.availableBytes <= size.sizeBytes);
});

test('createFileSystemSizes() returns zeros for a mount point that is no folder or does not exist', async () => {
  for (const path of ['/proc/self/stat', '/no/such\\040folder']) {
    assert.deepEqual(await sizes.sizeOf(mount(path)), { sizeBytes: 0n, availableBytes: 0n });
  }
});

test('createFileSystemSizes() answers for every mount of this machine', async () => {
  const mounts = parseMounts(readFileSync('/proc/mounts', 'utf8'));
  const answers = await Promise.all(mounts.map((each) => sizes.sizeOf(each)));
  assert.equal(answers.length, mounts.length);
  assert.ok(answers.some((size) => size.sizeBytes > 0n));
});

test('createFileSystemSizes() returns the space and the inodes of the file system that a file is on', async () => {
  const { bsize, blocks, files } = statfsSync('/proc/self/exe', { bigint: true });
  const space = await sizes.spaceOf(Buffer.from('/proc/self/exe'), '/bin/node');
  assert.deepEqual([space.sizeBytes, space.inodes], [bsize * blocks, files]);
  assert.equal(space.inodesUsed + space.inodesFree, files);
  assert.ok(space.usedBytes + space.availableBytes <= space.sizeBytes);
  await assert.rejects(sizes.spaceOf('/no/such/file', '/no/such/file'), { code: 'ENOENT' });
});
