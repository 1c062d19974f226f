import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { folderPartition } from '../testing/test-system.ts';
import { grubFilesOn } from './grub-files.ts';

const partition = folderPartition('grub-files');
after(() => rmSync(partition.folder, { recursive: true }));
mkdirSync(join(partition.folder, 'grub'));
const path = 'grub/grubenv';
writeFileSync(join(partition.folder, path), 'x'.repeat(1024));

test('a part of a file is read, fewer bytes at its end, and nothing of one that is missing', async () => {
  const files = grubFilesOn(partition);
  assert.equal((await files.read(path, 1000, 100))?.length, 24);
  assert.equal((await files.read(path, 0, 2048))?.length, 1024);
  assert.equal(await files.read('grub/missing', 0, 10), undefined);
  assert.equal(await files.read('grub/grubenv/below', 0, 10), undefined);
  await assert.rejects(files.read('grub', 0, 10), /cannot read grub: /);
});

test('a file is overwritten in place while the partition can be written to, and only by as many bytes', async () => {
  const writes: string[] = [];
  const files = grubFilesOn({
    ...partition,
    async write(work) {
      writes.push('begin');
      const result = await partition.write(work);
      writes.push('end');
      return result;
    },
  });
  await files.overwrite(path, Buffer.alloc(1024, 'y'));
  assert.equal(readFileSync(join(partition.folder, path), 'utf8'), 'y'.repeat(1024));
  assert.deepEqual(writes, ['begin', 'end']);
  await assert.rejects(files.overwrite(path, Buffer.alloc(1000)), { kind: 'failed-precondition' });
  await assert.rejects(files.overwrite('grub/other', Buffer.alloc(1024)), /ENOENT/);
  assert.equal(readFileSync(join(partition.folder, path), 'utf8'), 'y'.repeat(1024));
});
