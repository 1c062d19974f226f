import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMountsThatHang } from './mounts-that-hang.ts';

test('readMountsThatHang() finds the file system that a path is on, and notices new ones', () => {
  let table = [
    '/dev/vda4 / xfs rw 0 0',
    'server:/a /mnt/a\\040b nfs4 rw 0 0',
    'tmpfs /mnt/a\\040b/memory tmpfs rw 0 0',
    'server:/c /mnt/twice nfs4 rw 0 0',
    '/dev/vda5 /mnt/twice ext4 rw 0 0',
  ].join('\n');
  let now = 0;
  const mounts = readMountsThatHang(
    () => table,
    () => now,
  );
  assert.deepEqual(
    ['/', '/mnt', '/mnt/a b', '/mnt/a b/memory', '/mnt/twice'].map((path) => mounts.at(path)),
    ['local', undefined, 'may-hang', 'local', 'local'],
  );
  assert.deepEqual(
    ['', '/mnt', '/mnt/a b', '/mnt/a b/c/d', '/mnt/a b/memory/c', '/mnt/a bc'].map((path) =>
      mounts.above(path),
    ),
    [undefined, undefined, '/mnt/a b', '/mnt/a b', undefined, undefined],
  );
  table += '\nserver:/d /mnt fuse.d rw 0 0';
  now += 1000;
  assert.equal(mounts.above('/mnt/e'), '/mnt');
});
