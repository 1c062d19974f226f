import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpioArchive } from '../../rootfs/initramfs/cpio-archive.ts';
import { readCpio } from '../boot/long/read-cpio.ts';

test('an archive that was read has the files from which it was made', () => {
  const files = [
    { path: 'init', mode: 0o755, content: Buffer.from('a program') },
    { path: 'dev', mode: 0o700 },
    ...[0, 1, 2, 3, 4, 5].map((length) => ({
      ...{ path: `modules/${'m'.repeat(length + 1)}`, mode: 0o644, content: Buffer.alloc(length, 7) },
    })),
  ];
  const read = readCpio(cpioArchive(files));
  assert.deepEqual(read, files);
  assert.deepEqual(cpioArchive(read), cpioArchive(files));
});

test('other bytes are refused', () => {
  assert.throws(() => readCpio(Buffer.alloc(512)), /no archive/);
  assert.throws(() => readCpio(cpioArchive([]).subarray(0, 50)), /no archive/);
});
