import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PartitionTable, partitionTypes } from '@nodewright/disk';
import { type MaxBytes, withPartition } from './change-partitions.ts';

const mib = 1 << 20;
const gib = 1 << 30;
const guid = '11111111-2222-4333-8444-555555555555';
/** Of a disk of 10 GiB, the first MiB is taken by the table, and the last one by its copy. */
const sectors = (10 * gib) / 512;
const table: PartitionTable = { guid, partitions: [] };

function sizeMade(minBytes: number, maxBytes: MaxBytes, of = table): number {
  const { made } = withPartition(of, sectors, { label: 'EPHEMERAL', minBytes, maxBytes, grows: true }, guid);
  return (made.last - made.first + 1) * 512;
}

test('a partition whose largest size is below its smallest one is refused with both sizes', () => {
  const cases: [MaxBytes, string][] = [
    [gib, '1.1 GB'],
    [{ percent: 10 }, '1.1 GB'],
    [{ leaveFreeBytes: 9 * gib }, '1.1 GB'],
    [{ leaveFreeBytes: 20 * gib }, '0 B'],
    [{ leaveFreePercent: 90 }, '1.1 GB'],
  ];
  for (const [max, size] of cases)
    assert.throws(() => sizeMade(2 * gib, max), {
      kind: 'failed-precondition',
      message: `EPHEMERAL cannot be created: its maxSize allows ${size}, and its minSize is 2.1 GB`,
    });
});

test('a partition gets its largest size, and not less than its smallest one', () => {
  assert.equal(sizeMade(2 * gib, 2 * gib), 2 * gib);
  assert.equal(sizeMade(2 * gib, 3 * gib - 1), 3 * gib);
  assert.equal(sizeMade(2 * gib, undefined), 10 * gib - 2 * mib);
  assert.equal(sizeMade(2 * gib, { percent: 50 }), 5 * gib - mib);
});

test('a partition for which no free range is large enough is refused with the size of the largest', () => {
  const taken = {
    number: 1,
    type: partitionTypes.linux,
    guid,
    label: 'x',
    first: 2048,
    last: sectors - 2048 * 2048,
  };
  assert.throws(() => sizeMade(3 * gib, { percent: 10 }, { guid, partitions: [taken] }), {
    kind: 'resource-exhausted',
    message: /the disk has no room for EPHEMERAL: it needs 3\.2 GB, and the largest free range has 2\.1 GB/,
  });
});
