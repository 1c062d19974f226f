import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeTable, lastUsable, type Partition, partitionTypes } from './partition-table.ts';
import { freeRanges, grownEnd, placePartition } from './place-partition.ts';

const mib = 1 << 20;
const perMib = 2048;
const sectors = 200 * perMib;
const guid = '11111111-2222-4333-8444-555555555555';

/** Partitions from the given MiB to the one before the other given MiB. */
function tableOf(...ranges: (readonly [from: number, to: number])[]) {
  const partitions = ranges.map(
    ([from, to], index): Partition => ({
      ...{ number: index + 1, type: partitionTypes.linux, guid, label: `p${index}` },
      ...{ first: from * perMib, last: to * perMib - 1 },
    }),
  );
  return { guid, partitions };
}

test('placePartition() takes the smallest range that holds the maximum, and else the largest', () => {
  const table = tableOf([1, 10], [15, 20], [60, 70]);
  const inMib = (place: ReturnType<typeof placePartition>) =>
    place && [place.first / perMib, (place.last + 1) / perMib];
  assert.deepEqual(inMib(placePartition(table, sectors, { minBytes: 4 * mib, maxBytes: 4 * mib })), [10, 14]);
  assert.deepEqual(inMib(placePartition(table, sectors, { minBytes: 1, maxBytes: 6 * mib })), [20, 26]);
  assert.deepEqual(inMib(placePartition(table, sectors, { minBytes: 20 * mib })), [70, 199]);
  assert.deepEqual(inMib(placePartition(table, sectors, { minBytes: mib, maxBytes: 900 * mib })), [70, 199]);
  assert.equal(placePartition(table, sectors, { minBytes: 130 * mib }), undefined);
  assert.equal(placePartition(table, sectors, { minBytes: 4 * mib, maxBytes: 3 * mib }), undefined);
});

test('grownEnd() grows up to the next partition, the end of the disk or the maximum, and by a MiB at least', () => {
  const table = tableOf([1, 10], [15, 20]);
  const [first, second] = table.partitions as [Partition, Partition];
  const inMib = (end: number | undefined) => end && (end + 1) / perMib;
  assert.equal(inMib(grownEnd(table, sectors, first, undefined)), 15);
  assert.equal(inMib(grownEnd(table, sectors, first, 12 * mib)), 13);
  assert.equal(inMib(grownEnd(table, sectors, second, undefined)), 199);
  assert.equal(grownEnd(table, sectors, second, 5 * mib), undefined);
  assert.equal(grownEnd(tableOf([1, 10], [10, 20]), sectors, first, undefined), undefined);
});

test('partitions that are placed and grown one after the other never overlap', () => {
  const wish = fc.record({
    min: fc.integer({ min: 1, max: 60 }),
    max: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
    grows: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 12 }), (wishes) => {
      let table = tableOf([1, 30], [40, 41]);
      for (const { min, max, grows } of wishes) {
        const maxBytes = max === undefined ? undefined : max * mib;
        const place = placePartition(table, sectors, { minBytes: min * mib, maxBytes });
        const number = table.partitions.length + 1;
        if (place !== undefined) {
          const made = { number, type: partitionTypes.linux, guid, label: 'x', ...place };
          table = { guid, partitions: [...table.partitions, made] };
        }
        const end = grows && grownEnd(table, sectors, table.partitions[0] as Partition, maxBytes);
        if (end)
          table = {
            guid,
            partitions: table.partitions.map((one, at) => (at === 0 ? { ...one, last: end } : one)),
          };
        encodeTable(table, sectors);
        for (const { first, last } of freeRanges(table, sectors)) {
          assert.equal(first % perMib, 0);
          assert.ok(last <= lastUsable(sectors));
        }
      }
    }),
  );
});
