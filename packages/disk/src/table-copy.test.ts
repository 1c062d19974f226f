import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeTable, encodeTable, partitionTypes, sectorBytes, tableHeadBytes } from './partition-table.ts';
import { tableRestoration, tableTailBytes } from './table-copy.ts';

const sectors = 20_000;
const table = {
  guid: '11111111-2222-4333-8444-555555555555',
  partitions: [1, 2].map((number) => ({
    ...{ number, type: partitionTypes.linux, guid: `11111111-2222-4333-8444-55555555555${number}` },
    ...{ label: `p${number}`, first: number * 2048, last: number * 2048 + 2047 },
  })),
};
const { head, tail } = encodeTable(table, sectors);
const mbr = head.subarray(0, sectorBytes);

function restored(from: Buffer): ReturnType<typeof decodeTable> {
  const disk = Buffer.alloc(tableHeadBytes);
  for (const { at, bytes } of tableRestoration(mbr, from, sectors) ?? []) bytes.copy(disk, at);
  return decodeTable(disk);
}

test('tableRestoration() puts the copy of a table back', () => {
  assert.equal(tail.length, tableTailBytes);
  assert.deepEqual(restored(tail), decodeTable(head));
});

test('tableRestoration() restores nothing from a copy with any other byte, or of a disk of another size', () => {
  fc.assert(
    fc.property(fc.nat(tableTailBytes - sectorBytes + 91), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const broken = Buffer.from(tail);
      broken.writeUInt8(broken.readUInt8(at) ^ change, at);
      assert.equal(tableRestoration(mbr, broken, sectors), undefined);
    }),
  );
  assert.equal(tableRestoration(mbr, tail, sectors + 1), undefined);
  assert.equal(tableRestoration(mbr, tail.subarray(512), sectors), undefined);
  assert.equal(tableRestoration(Buffer.alloc(sectorBytes), tail, sectors), undefined);
});

test('tableRestoration() returns for every input', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: sectorBytes, maxLength: sectorBytes }), (sector) => {
      const random = Buffer.from(tail);
      random.set(sector, tableTailBytes - sectorBytes);
      random.write('EFI PART', tableTailBytes - sectorBytes, 'latin1');
      tableRestoration(mbr, random, sectors);
    }),
  );
});
