import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contentsHeadBytes, recogniseContents } from './contents.ts';
import { metaPartitionBytes, metaWrites } from './meta-partition.ts';
import { encodeTable } from './partition-table.ts';

test('an XFS file system is recognised with its sizes, with and without its log', () => {
  const head = Buffer.alloc(contentsHeadBytes);
  head.write('XFSB', 0, 'latin1');
  head.writeUInt32BE(4096, 4);
  head.writeBigUInt64BE(100_000n, 8);
  Buffer.from('0b2a4f3e7d574a5a9a353f6f0b1f1f10', 'hex').copy(head, 32);
  head.writeBigUInt64BE(65_540n, 48);
  head.writeUInt32BE(16_384, 96);
  head.writeUInt16BE(512, 102);
  head.write('EPHEMERAL', 108);
  const found = {
    ...{ name: 'xfs', label: 'EPHEMERAL', uuid: '0b2a4f3e-7d57-4a5a-9a35-3f6f0b1f1f10' },
    ...{ blockBytes: 4096, unitBytes: 512, sizeBytes: 409_600_000, isUnfinished: false },
    dataBytes: 409_600_000 - 64 * (1 << 20),
  };
  assert.deepEqual(recogniseContents(head), found);
  // The log is on another device.
  head.writeBigUInt64BE(0n, 48);
  assert.deepEqual(recogniseContents(head), { ...found, dataBytes: found.sizeBytes });
  head.writeUInt8(1, 126);
  assert.equal(recogniseContents(head)?.isUnfinished, true);
});

test('an ext4 file system above 16 TiB is recognised with its whole size', () => {
  const head = Buffer.alloc(contentsHeadBytes);
  const block = head.subarray(1024);
  block.writeUInt16LE(0xef53, 56);
  block.writeUInt32LE(2, 24);
  block.writeUInt32LE(5, 4);
  block.writeUInt32LE(3, 336);
  const sizes = () => {
    const { name, sizeBytes, dataBytes } = recogniseContents(head) ?? {};
    return [name, sizeBytes, dataBytes];
  };
  // Without the feature 64bit the high word means nothing.
  assert.deepEqual(sizes(), ['ext4', 5 * 4096, 5 * 4096]);
  block.writeUInt32LE(0x2c2, 96);
  const sizeBytes = 48 * 2 ** 40 + 5 * 4096;
  assert.deepEqual(sizes(), ['ext4', sizeBytes, sizeBytes]);
});

test('a disk with a partition table and a partition with META values are recognised', () => {
  const guid = '11111111-2222-4333-8444-555555555555';
  const table = encodeTable({ guid, partitions: [] }, 1 << 16);
  const head = Buffer.concat([table.head, Buffer.alloc(contentsHeadBytes)]);
  assert.deepEqual([recogniseContents(head)?.name, recogniseContents(head)?.uuid], ['gpt', guid]);
  const meta = Buffer.alloc(metaPartitionBytes);
  for (const { at, bytes } of metaWrites(new Map([[10, Buffer.from('x')]]))) bytes.copy(meta, at);
  const { name, sizeBytes, unitBytes } = recogniseContents(meta.subarray(0, contentsHeadBytes)) ?? {};
  assert.deepEqual([name, sizeBytes, unitBytes], ['talosmeta', metaPartitionBytes, 0]);
});

test('any bytes of any length are recognised or not, and never an error', () => {
  const marks = fc.constantFrom('XFSB', 'hsqs', 'LUKS\xba\xbe', '\x5a\x4b\x3c\x2d', '');
  fc.assert(
    fc.property(marks, fc.uint8Array({ maxLength: 600 }), fc.nat(40 * 1024), (mark, bytes, length) => {
      const head = Buffer.alloc(Math.max(length, bytes.length));
      Buffer.from(bytes).copy(head);
      head.write(mark, 0, 'latin1');
      recogniseContents(head);
    }),
  );
  assert.equal(recogniseContents(Buffer.alloc(contentsHeadBytes)), undefined);
});
