import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blankBytes, isBlankDisk, tableCreation } from './new-table.ts';
import { decodeTable, partitionTypes, sectorBytes, tableChange, tableHeadBytes } from './partition-table.ts';

const sectors = (4 << 20) / sectorBytes;
const guid = '8b5b1c2e-6a1f-4a0b-9e3d-0123456789ab';
const isBlank = (disk: Buffer) =>
  isBlankDisk(disk.subarray(0, blankBytes), disk.subarray(disk.length - blankBytes), sectors);

test('wherever the creation of a table stops, the disk is still blank or has an empty table that can be changed', () => {
  const disk = Buffer.alloc(sectors * sectorBytes);
  const found: [blank: boolean, partitions: number | undefined][] = [];
  const look = () =>
    void found.push([isBlank(disk), decodeTable(disk.subarray(0, tableHeadBytes))?.partitions.length]);
  look();
  for (const { at, bytes } of tableCreation(guid, sectors)) {
    assert.equal(bytes.length, sectorBytes);
    bytes.copy(disk, at);
    look();
    const head = Buffer.from(disk.subarray(0, tableHeadBytes));
    const table = decodeTable(head);
    if (table === undefined) continue;
    const partition = { number: 1, type: partitionTypes.linux, guid, label: 'a', first: 2048, last: 4095 };
    for (const write of tableChange(head, { ...table, partitions: [partition] }, sectors)) {
      const part = head.subarray(write.at, write.at + write.bytes.length);
      write.bytes.copy(part);
    }
    assert.deepEqual(decodeTable(head), { guid, partitions: [partition] });
  }
  assert.deepEqual(found, [
    [true, undefined],
    [true, undefined],
    [false, 0],
    [false, 0],
  ]);
});

test('a disk is not blank when anything is in its first or last MiB', () => {
  for (const at of [
    0,
    511,
    512,
    4096,
    65_600,
    blankBytes - 1,
    sectors * 512 - blankBytes,
    sectors * 512 - 1,
  ]) {
    const disk = Buffer.alloc(sectors * sectorBytes);
    disk.writeUInt8(1, at);
    assert.equal(isBlank(disk), false, `byte ${at}`);
  }
  const begun = Buffer.alloc(sectors * sectorBytes);
  tableCreation(guid, sectors)[0]?.bytes.copy(begun);
  assert.equal(isBlank(begun), true);
  begun.writeUInt8(1, 446);
  assert.equal(isBlank(begun), false, 'the table of a BIOS, with a partition that is active');
});
