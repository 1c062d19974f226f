import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { metaMends, metaPartitionBytes, metaWrites, readMeta } from './meta-partition.ts';
import type { DiskWrite } from './partition-table.ts';

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

/** Makes the writes until the power fails: of the one that it cuts, some sectors are on the disk. */
function writeUntil(
  partition: Buffer,
  writes: readonly DiskWrite[],
  cut: number,
  isWritten: () => boolean,
): boolean {
  for (const { at, bytes } of writes.slice(0, cut)) bytes.copy(partition, at);
  const torn = writes[cut];
  if (torn === undefined) return true;
  for (let at = 0; at < torn.bytes.length; at += 512)
    if (isWritten()) torn.bytes.copy(partition, torn.at + at, at, at + 512);
  return false;
}

test('a value that was read once stays, or is replaced by a newer one, wherever the power is cut', () => {
  const cuts = fc.array(fc.record({ write: fc.nat(3), mend: fc.nat(3) }), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(cuts, fc.infiniteStream(fc.boolean()), (given, isWritten) => {
      const next = () => isWritten.next().value === true;
      const partition = partitionWith(versioned(0));
      let seen = 0;
      for (const [index, { write, mend }] of given.entries()) {
        const version = index + 1;
        const isWhole = writeUntil(partition, metaWrites(versioned(version)), write, next);
        const found = versionIn(partition);
        assert.ok(found === version || (!isWhole && found === seen), `${found} after ${seen} and ${version}`);
        seen = found;
        // The start that mends may lose its power, too; the next one mends again.
        writeUntil(partition, metaMends(partition), mend, next);
        assert.equal(versionIn(partition), seen);
        writeUntil(partition, metaMends(partition), Number.POSITIVE_INFINITY, next);
        assert.deepEqual(metaMends(partition), []);
        assert.equal(versionIn(partition), seen);
      }
    }),
    { numRuns: 30 },
  );
});

const versioned = (version: number) => new Map([[6, Buffer.from(String(version))]]);
const versionIn = (partition: Buffer) => Number(Buffer.from(readMeta(partition)?.get(6) ?? []).toString());

test('metaMends() writes a copy that is not whole, or has other values, and not the one that was read', () => {
  const given = new Map([
    [6, Buffer.from('A')],
    [7, Buffer.alloc(300, 'longer than a small copy can have')],
  ]);
  const places = {
    first: 0,
    second: 262_144,
    small: metaPartitionBytes - 1024,
    last: metaPartitionBytes - 512,
  };
  for (const at of Object.values(places)) {
    const partition = partitionWith(given);
    assert.deepEqual(metaMends(partition), []);
    partition.writeUInt8(partition.readUInt8(at) ^ 1, at);
    for (const { at: place, bytes } of metaMends(partition)) bytes.copy(partition, place);
    assert.ok(partition.equals(partitionWith(given)), String(at));
  }
  const older = partitionWith(versioned(1));
  (metaWrites(versioned(2))[0] as DiskWrite).bytes.copy(older);
  assert.deepEqual(
    metaMends(older).map(({ at }) => at),
    [places.second, places.small],
  );
  assert.deepEqual(metaMends(Buffer.alloc(metaPartitionBytes)), []);
  assert.deepEqual(metaMends(Buffer.alloc(metaPartitionBytes, 0xff)), []);
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

test('the small copies have room for the records of the machine itself, whatever else META holds', () => {
  const record = Buffer.alloc(120, 'r');
  const full = new Map(Array.from({ length: 16 }, (_, at) => [0x0a + at, Buffer.alloc(200, 'x')] as const));
  const partition = partitionWith(new Map([...full, [0xfd, record]]));
  partition.fill(0, 0, 1 << 19);
  assert.deepEqual(readMeta(partition)?.get(0xfd), record);
});

test('the first write to a partition of zeros that the power cuts leaves no values, and not a damaged partition', () => {
  const given = new Map([[0xfd, Buffer.from('record')]]);
  const [first = assert.fail()] = metaWrites(given);
  for (const sectors of [1, 7, 511]) {
    const partition = Buffer.alloc(metaPartitionBytes);
    first.bytes.copy(partition, first.at, 0, sectors * 512);
    assert.deepEqual(readMeta(partition), new Map());
  }
  const whole = Buffer.alloc(metaPartitionBytes);
  first.bytes.copy(whole, first.at);
  assert.deepEqual(sorted(readMeta(whole)), sorted(given));
  for (const { at, bytes } of metaMends(whole)) bytes.copy(whole, at);
  assert.deepEqual(sorted(readMeta(whole)), sorted(given));
  const damaged = partitionWith(given);
  for (const at of [5, (1 << 18) + 5, (1 << 20) - 1020, (1 << 20) - 500]) damaged[at] = 0xee;
  assert.equal(readMeta(damaged), undefined);
});
