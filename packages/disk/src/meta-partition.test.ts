import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { isMetaTorn, metaPartitionBytes, metaWrites, readMeta } from './meta-partition.ts';

const values = fc
  .dictionary(fc.integer({ min: 1, max: 255 }).map(String), fc.uint8Array({ maxLength: 400 }), {
    maxKeys: 12,
  })
  .map((found) => new Map(Object.entries(found).map(([key, value]) => [Number(key), Buffer.from(value)])));

/** A partition with these values. */
function partitionWith(given: ReadonlyMap<number, Uint8Array>): Buffer {
  const partition = Buffer.alloc(metaPartitionBytes);
  for (const { at, bytes } of metaWrites(given)) bytes.copy(partition, at);
  return partition;
}

const sorted = (map: ReadonlyMap<number, Uint8Array> | undefined) =>
  map && [...map].sort(([a], [b]) => a - b).map(([key, value]) => [key, Buffer.from(value).toString('hex')]);

test('META reads as it was written', () => {
  fc.assert(
    fc.property(values, (given) => assert.deepEqual(sorted(readMeta(partitionWith(given))), sorted(given))),
  );
});

test('META has the format of upstream', () => {
  const partition = partitionWith(new Map([[0x0a, Buffer.from('net')]]));
  for (const copy of [partition.subarray(0, 262_144), partition.subarray(262_144, 524_288)]) {
    assert.equal(
      copy.subarray(0, 19).toString('hex'),
      `5a4b3c2d0000000a00000003${Buffer.from('net').toString('hex')}00000000`,
    );
    assert.equal(copy.subarray(-4).toString('hex'), 'a5b4c3d2');
    const zeroed = Buffer.from(copy).fill(0, 262_108, 262_140);
    assert.deepEqual(copy.subarray(262_108, 262_140), createHash('sha256').update(zeroed).digest());
  }
  for (const small of [partition.subarray(-1024, -512), partition.subarray(-512)]) {
    assert.equal(small.readUInt32LE(0), 0x5a2d2fa5);
    assert.equal(small.subarray(8, 14).toString('hex'), `0a03${Buffer.from('net').toString('hex')}00`);
    assert.equal(small.readUInt32LE(508), 0xdd28bf64);
    let sum = small.readUInt32LE(4);
    for (let at = 8; at < 508; at += 4) sum = (sum + small.readUInt32LE(at)) >>> 0;
    assert.equal(sum, 0xa3041767);
  }
});

test('a write that the power cuts leaves the old or the new values', () => {
  fc.assert(
    fc.property(values, values, fc.nat(2), fc.infiniteStream(fc.boolean()), (old, next, cut, isWritten) => {
      const partition = partitionWith(old);
      const writes = metaWrites(next);
      for (const { at, bytes } of writes.slice(0, cut)) bytes.copy(partition, at);
      const torn = writes[cut] as (typeof writes)[number];
      for (let at = 0; at < torn.bytes.length; at += 512)
        if (isWritten.next().value === true) torn.bytes.copy(partition, torn.at + at, at, at + 512);
      const found = JSON.stringify(sorted(readMeta(partition)));
      assert.ok(
        [old, next].some((one) => found === JSON.stringify(sorted(one))),
        found,
      );
    }),
  );
});

test('isMetaTorn() tells that a copy is not whole, until the values are written again', () => {
  const given = new Map([[6, Buffer.from('A')]]);
  for (const at of [0, 262_144, metaPartitionBytes - 1024, metaPartitionBytes - 512]) {
    const partition = partitionWith(given);
    assert.equal(isMetaTorn(partition), false);
    partition.writeUInt8(partition.readUInt8(at) ^ 1, at);
    assert.equal(isMetaTorn(partition), true);
    for (const { at: place, bytes } of metaWrites(given)) bytes.copy(partition, place);
    assert.equal(isMetaTorn(partition), false);
  }
  assert.equal(isMetaTorn(Buffer.alloc(metaPartitionBytes)), false);
});

test('META of zeros is empty; small copies serve when the large ones are gone; without any it is damaged', () => {
  assert.deepEqual(readMeta(Buffer.alloc(metaPartitionBytes)), new Map());
  const partition = partitionWith(new Map([[6, Buffer.from('A')]]));
  partition.fill(0xff, 0, 524_288);
  assert.deepEqual(sorted(readMeta(partition)), [[6, '41']]);
  partition.fill(0xff, metaPartitionBytes - 1024);
  assert.equal(readMeta(partition), undefined);
});

test('readMeta() returns for every input with valid magic numbers and checksums', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (entries) => {
      const partition = partitionWith(new Map());
      const copy = partition.subarray(0, 262_144);
      copy.set(entries, 4);
      copy.fill(0, 262_108, 262_140);
      createHash('sha256').update(copy).digest().copy(copy, 262_108);
      partition.fill(0xff, 262_144, 524_288);
      readMeta(partition);
    }),
  );
});
