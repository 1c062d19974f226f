import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankBytes, sectorBytes } from '@nodewright/disk';
import { diskContent } from './install-content.ts';

const sectors = 20_000_000;
const endAt = blankBytes - 33 * sectorBytes;

test('what others keep where a table of partitions would be is no installation that was interrupted', () => {
  const [first, last] = [Buffer.alloc(blankBytes), Buffer.alloc(blankBytes)];
  assert.equal(diskContent(first, last, sectors).content, 'blank');
  const members: readonly (readonly [name: string, change: (begin: Buffer, end: Buffer) => void])[] = [
    // <linux/raid/md_p.h>: the superblock of version 1.2 is 4 KiB behind the beginning, and the data begin later.
    ['a member of a RAID', (begin) => begin.writeUInt32LE(0xa92b4efc, 4096)],
    ['swap space', (begin) => begin.write('SWAPSPACE2', 4086, 'latin1')],
    ['a label of LVM in the third sector', (begin) => begin.write('LABELONE', 2 * sectorBytes, 'latin1')],
    ['a file system of a small disk', (begin) => begin.writeUInt16LE(0xef53, 1024 + 56)],
    ['data before the last sector', (_begin, end) => end.write('data', endAt, 'latin1')],
  ];
  for (const [name, change] of members) {
    const [begin, end] = [Buffer.from(first), Buffer.from(last)];
    change(begin, end);
    assert.equal(diskContent(begin, end, sectors).content, 'other', name);
  }
});
