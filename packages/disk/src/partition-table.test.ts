import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { decodeGuid, encodeGuid } from './guid.ts';
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

/** The header at this sector of a disk, when its checksums are right. */
function headerAt(disk: Buffer, sector: number) {
  const header = Buffer.from(disk.subarray(sector * sectorBytes, sector * sectorBytes + 92));
  const checksum = header.readUInt32LE(16);
  header.writeUInt32LE(0, 16);
  const numberAt = (at: number) => Number(header.readBigUInt64LE(at));
  const entriesAt = numberAt(72) * sectorBytes;
  const [count, bytes] = [header.readUInt32LE(80), header.readUInt32LE(84)];
  const entries = disk.subarray(entriesAt, entriesAt + count * bytes);
  if (crc32(header) !== checksum || crc32(entries) !== header.readUInt32LE(88)) return undefined;
  const partitions = Array.from({ length: count }, (_, index) =>
    entries.subarray(index * bytes, (index + 1) * bytes),
  )
    .filter((entry) => entry.readBigUInt64LE(32) !== 0n)
    .map((entry) => [decodeGuid(entry.subarray(0, 16)), Number(entry.readBigUInt64LE(32))]);
  const usable = [numberAt(40), numberAt(48)];
  return { own: numberAt(24), other: numberAt(32), entriesAt: numberAt(72), usable, partitions };
}

const windowsTypes = {
  reserved: 'e3c9e316-0b5c-4db8-817d-f92df00215ae',
  basicData: 'ebd0a0a2-b9e5-4433-87c0-68b6b72699c7',
} as const;

/**
 * A disk as Windows partitions it: its reserved partition begins right behind the entries, at sector 34, and the entry of
 * the protective MBR has the largest length. Entries can be longer than usual, as other tools write them.
 */
function windowsDisk(entryBytes = 128): Buffer {
  const disk = Buffer.alloc(sectors * sectorBytes);
  const count = (32 * sectorBytes) / entryBytes;
  const entries = Buffer.alloc(count * entryBytes);
  const ranges = [
    [windowsTypes.reserved, 34, 2047, 'Microsoft reserved partition', 0n],
    [windowsTypes.basicData, 2048, 9999, 'Basic data partition', 1n << 63n],
    [windowsTypes.basicData, 10_000, sectors - 34, 'Basic data partition', 0n],
  ] as const;
  for (const [index, [type, first, last, label, attributes]] of ranges.entries()) {
    const entry = entries.subarray(index * entryBytes, (index + 1) * entryBytes);
    encodeGuid(type).copy(entry);
    encodeGuid(`11111111-2222-4333-8444-55555555556${index}`).copy(entry, 16);
    for (const [value, at] of [
      [BigInt(first), 32],
      [BigInt(last), 40],
      [attributes, 48],
    ] as const)
      entry.writeBigUInt64LE(value, at);
    entry.write(label, 56, 'utf16le');
    entry.fill(0x77, 128);
  }
  const put = (own: number, other: number, entriesAt: number) => {
    const header = Buffer.alloc(sectorBytes);
    header.write('EFI PART', 0, 'latin1');
    for (const [value, at] of [
      [0x10000, 8],
      [92, 12],
      [count, 80],
      [entryBytes, 84],
      [crc32(entries), 88],
    ] as const)
      header.writeUInt32LE(value, at);
    for (const [value, at] of [
      [own, 24],
      [other, 32],
      [34, 40],
      [sectors - 34, 48],
      [entriesAt, 72],
    ] as const)
      header.writeBigUInt64LE(BigInt(value), at);
    encodeGuid('11111111-2222-4333-8444-555555555555').copy(header, 56);
    header.writeUInt32LE(crc32(header.subarray(0, 92)), 16);
    header.copy(disk, own * sectorBytes);
    entries.copy(disk, entriesAt * sectorBytes);
  };
  put(1, sectors - 1, 2);
  put(sectors - 1, 1, sectors - 33);
  disk.set([0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], 446);
  disk.writeUInt16LE(0xaa55, 510);
  disk.fill(0x55, 34 * sectorBytes, 2048 * sectorBytes);
  return disk;
}

test('tableChange() drops a partition of Windows, and leaves the partition before its own first sector alone', () => {
  for (const entryBytes of [128, 256]) {
    const disk = windowsDisk(entryBytes);
    const before = Buffer.from(disk);
    const given = decodeTable(disk.subarray(0, tableHeadBytes));
    assert.deepEqual(
      given?.partitions.map(({ first }) => first),
      [34, 2048, 10_000],
    );
    const next = { guid: given.guid, partitions: given.partitions.filter(({ number }) => number !== 3) };
    for (const one of tableChange(disk.subarray(0, tableHeadBytes), next, sectors)) write(disk, one);
    assert.deepEqual(decodeTable(disk.subarray(0, tableHeadBytes)), next);
    const facts = {
      usable: [34, sectors - 34],
      partitions: [
        [windowsTypes.reserved, 34],
        [windowsTypes.basicData, 2048],
      ],
    };
    assert.deepEqual(headerAt(disk, 1), { own: 1, other: sectors - 1, entriesAt: 2, ...facts });
    assert.deepEqual(headerAt(disk, sectors - 1), {
      ...{ own: sectors - 1, other: 1, entriesAt: sectors - 33 },
      ...facts,
    });
    // What is neither a header nor an entry is as it was, and so are the remaining entries.
    const same: [number, number][] = [
      [0, 512],
      [1024, 1024 + 2 * entryBytes],
      [34 * sectorBytes, (sectors - 33) * sectorBytes],
    ];
    for (const [from, to] of same)
      assert.ok(disk.subarray(from, to).equals(before.subarray(from, to)), `${from}`);
  }
});

test('tableChange() of a foreign table leaves a whole old or new table, first or copy, wherever the power fails', () => {
  const given = decodeTable(windowsDisk().subarray(0, tableHeadBytes));
  assert.ok(given !== undefined);
  const next = { guid: given.guid, partitions: given.partitions.slice(0, 1) };
  fc.assert(
    fc.property(fc.nat(2), fc.infiniteStream(fc.boolean()), (cut, isWritten) => {
      const disk = windowsDisk();
      const writes = tableChange(disk.subarray(0, tableHeadBytes), next, sectors);
      for (const done of writes.slice(0, cut)) write(disk, done);
      const torn = writes[cut] as DiskWrite;
      for (let at = 0; at < torn.bytes.length; at += sectorBytes) {
        if (isWritten.next().value === true)
          write(disk, { at: torn.at + at, bytes: torn.bytes.subarray(at, at + sectorBytes) });
      }
      const found = headerAt(disk, 1) ?? headerAt(disk, sectors - 1);
      assert.ok(found?.partitions.length === 1 || found?.partitions.length === 3, JSON.stringify(found));
    }),
  );
});

test('tableChange() refuses a foreign table whose partitions are outside of its own range', () => {
  const disk = windowsDisk();
  const head = disk.subarray(0, tableHeadBytes);
  const given = decodeTable(head);
  const [reserved] = given?.partitions ?? [];
  assert.ok(given !== undefined && reserved !== undefined);
  const partitions = [{ ...reserved, first: 33 }];
  assert.throws(() => tableChange(head, { ...given, partitions }, sectors), /outside of the disk/);
  // The disk has become smaller: its copy is outside.
  assert.throws(() => tableChange(head, given, sectors - 1), /the copy of the table is outside of the disk/);
});

test('tableChange() leaves an MBR alone whose first entry protects no table', () => {
  const disk = diskWith(fourPartitions);
  disk.set([0x80, 0, 2, 0, 0x07, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0], 446);
  const mbr = Buffer.from(disk.subarray(0, sectorBytes));
  const next = { guid: '11111111-2222-4333-8444-555555555555', partitions: fourPartitions.slice(1) };
  for (const one of tableChange(disk.subarray(0, tableHeadBytes), next, sectors)) write(disk, one);
  assert.deepEqual([decodeTable(disk), mbr.equals(disk.subarray(0, sectorBytes))], [next, true]);
});
