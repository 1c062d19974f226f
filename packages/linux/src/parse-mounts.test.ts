import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from './fixture.ts';
import { parseMounts, pathFromMountPoint } from './parse-mounts.ts';

test('parseMounts() keeps the order and the escapes of the kernel', () => {
  assert.deepEqual(
    parseMounts(fixture('mounts.txt')).map(({ source, mountPoint, type }) => [source, mountPoint, type]),
    [
      ['proc', '/proc', 'proc'],
      ['/dev/vda', '/', 'ext4'],
      ['tmpfs', '/dev/shm', 'tmpfs'],
      ['nas:/export/media\\040files', '/mnt/media\\040files', 'nfs4'],
      ['/dev/loop0', '/etc/tab\\011name', 'squashfs'],
    ],
  );
});

test('parseMounts() splits options and ignores short lines', () => {
  assert.deepEqual(parseMounts('a /b c rw,size=1k 0 0\nshort line\n\n'), [
    { source: 'a', mountPoint: '/b', type: 'c', options: ['rw', 'size=1k'] },
  ]);
});

test('pathFromMountPoint() decodes the escapes and nothing else', () => {
  assert.deepEqual(
    ['/mnt/media\\040files', '/etc/tab\\011name', '/back\\134slash', '/plain', '/not\\9octal'].map(
      pathFromMountPoint,
    ),
    ['/mnt/media files', '/etc/tab\tname', '/back\\slash', '/plain', '/not\\9octal'],
  );
});
