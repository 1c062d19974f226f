import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type DiskWrite,
  decodeTable,
  encodeTable,
  firstUsable,
  lastUsable,
  type Partition,
  partitionTypes,
  sectorBytes,
  tableChange,
  tableHeadBytes,
} from './partition-table.ts';

const fourPartitions = ['EFI', 'BIOS', 'BOOT', 'META'].map(
  (label, index): Partition => ({
    number: index + 1,
    type: partitionTypes.linux,
    guid: `11111111-2222-4333-8444-55555555555${index}`,
    label,
    first: 2048 * (index + 1),
    last: 2048 * (index + 2) - 1,
  }),
);

const sectors = 20_000;
const guid = fc.uuid();
const table = fc
  .record({
    guid,
    cuts: fc.uniqueArray(fc.integer({ min: firstUsable, max: lastUsable(sectors) }), {
      maxLength: 24,
    }),
    labels: fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 36 }), { minLength: 12, maxLength: 12 }),
    guids: fc.array(guid, { minLength: 12, maxLength: 12 }),
  })
  .map(({ guid: disk, cuts, labels, guids }) => {
    const sorted = cuts.toSorted((a, b) => a - b);
    const partitions = Array.from({ length: Math.floor(sorted.length / 2) }, (_, index): Partition => {
      const [first = 0, last = 0] = sorted.slice(2 * index, 2 * index + 2);
      return {
        number: index + 1,
        type: partitionTypes.linux,
        guid: guids[index] ?? '',
        label: labels[index] ?? '',
        first,
        last,
      };
    });
    return { guid: disk, partitions };
  });

test('a partition table reads as it was written, from the head of the disk', () => {
  fc.assert(
    fc.property(table, (given) => {
      const { head } = encodeTable(given, sectors);
      assert.deepEqual(decodeTable(head), given);
    }),
  );
});

test('a partition table with one changed byte in its header or entries is none', () => {
  const given = { guid: '11111111-2222-4333-8444-555555555555', partitions: fourPartitions };
  const { head } = encodeTable(given, 2_000_000);
  const checked = fc.oneof(
    fc.integer({ min: 512, max: 512 + 91 }),
    fc.integer({ min: 1024, max: head.length - 1 }),
  );
  fc.assert(
    fc.property(checked, fc.integer({ min: 1, max: 255 }), (at, change) => {
      const broken = Buffer.from(head);
      broken.writeUInt8(broken.readUInt8(at) ^ change, at);
      assert.equal(decodeTable(broken), undefined);
    }),
  );
});

test('decodeTable() returns for every input', () => {
  const { head } = encodeTable({ guid: '11111111-2222-4333-8444-555555555555', partitions: [] }, sectors);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), fc.boolean(), (bytes, hasSignature) => {
      const input = Buffer.from(bytes);
      if (hasSignature) head.copy(input, 512, 512, 520);
      decodeTable(input);
    }),
  );
});

test('the copy of a table at the end of the disk points back to the first', () => {
  const { head, tail } = encodeTable(
    { guid: '11111111-2222-4333-8444-555555555555', partitions: [] },
    sectors,
  );
  const [first, copy] = [head.subarray(512, 1024), tail.subarray(-512)];
  assert.equal(copy.readBigUInt64LE(24), first.readBigUInt64LE(32));
  assert.equal(copy.readBigUInt64LE(32), first.readBigUInt64LE(24));
  assert.equal(Number(copy.readBigUInt64LE(72)) * 512 + tail.length, sectors * 512);
});

test('partitions that overlap, leave the disk or have long labels are refused', () => {
  const partition = {
    type: partitionTypes.linux,
    guid: '11111111-2222-4333-8444-555555555555',
    label: 'x',
    number: 1,
  };
  const cases: [Partition[], RegExp][] = [
    [
      [
        { ...partition, first: 100, last: 200 },
        { ...partition, label: 'y', number: 2, first: 200, last: 300 },
      ],
      /"x" and "y" overlap/,
    ],
    [[{ ...partition, first: 10, last: 200 }], /outside of the disk/],
    [[{ ...partition, first: 100, last: sectors }], /outside of the disk/],
    [[{ ...partition, label: 'x'.repeat(37), first: 100, last: 200 }], /too long/],
    [[{ ...partition, number: 129, first: 100, last: 200 }], /numbers are 1 to 128/],
  ];
  for (const [partitions, message] of cases) {
    assert.throws(() => encodeTable({ guid: partition.guid, partitions }, sectors), message);
  }
});

/** A disk of `sectors` sectors with this table. */
function diskWith(partitions: readonly Partition[], size = sectors): Buffer {
  const disk = Buffer.alloc(size * sectorBytes);
  const { head, tail } = encodeTable({ guid: '11111111-2222-4333-8444-555555555555', partitions }, size);
  head.copy(disk);
  tail.copy(disk, disk.length - tail.length);
  return disk;
}

const write = (disk: Buffer, { at, bytes }: DiskWrite) => bytes.copy(disk, at);

test('tableChange() leaves the old or the new table wherever the power fails, and sectors of one write in any order', () => {
  const next = { guid: '11111111-2222-4333-8444-555555555555', partitions: fourPartitions };
  fc.assert(
    fc.property(table, fc.nat(3), fc.infiniteStream(fc.boolean()), (given, cut, isWritten) => {
      const disk = diskWith(given.partitions);
      const writes = tableChange(disk.subarray(0, tableHeadBytes), next, sectors);
      for (const done of writes.slice(0, cut)) write(disk, done);
      const torn = writes[cut] as DiskWrite;
      for (let at = 0; at < torn.bytes.length; at += sectorBytes) {
        const { value } = isWritten.next();
        if (value === true)
          write(disk, { at: torn.at + at, bytes: torn.bytes.subarray(at, at + sectorBytes) });
      }
      const found = decodeTable(disk)?.partitions;
      assert.ok(found !== undefined, 'there is a table');
      const isNew = JSON.stringify(found) === JSON.stringify(fourPartitions);
      if (!isNew) assert.deepEqual(found, given.partitions);
      if (cut > 1) assert.ok(isNew);
    }),
  );
});

test('tableChange() can be repeated, keeps the boot code, and moves the copy to the end of a larger disk', () => {
  const small = diskWith([]);
  small.fill(0x90, 0, 440);
  const disk = Buffer.concat([small, Buffer.alloc(1000 * sectorBytes)]);
  for (const partitions of [fourPartitions.slice(0, 2), fourPartitions, fourPartitions.slice(1)]) {
    const next = { guid: '11111111-2222-4333-8444-555555555556', partitions };
    for (const one of tableChange(disk.subarray(0, tableHeadBytes), next, sectors + 1000)) write(disk, one);
    assert.deepEqual(decodeTable(disk), next);
    assert.equal(disk.readUInt8(439), 0x90);
    assert.equal(disk.readUInt32LE(446 + 12), sectors + 999);
    assert.equal(disk.toString('latin1', disk.length - 512, disk.length - 504), 'EFI PART');
  }
});

test('tableChange() refuses a disk without a table', () => {
  const next = { guid: '11111111-2222-4333-8444-555555555555', partitions: [] };
  assert.throws(() => tableChange(Buffer.alloc(tableHeadBytes), next, sectors), /has no partition table/);
});
