import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeTable } from './partition-table.ts';
import { placedSystemPartitions } from './system-layout.ts';

const guidOf = (label: string) =>
  `00000000-0000-4000-8000-${Buffer.from(label.padEnd(6).slice(0, 6)).toString('hex')}`;

test('placedSystemPartitions() puts one behind the other, whole MiB each', () => {
  const placed = placedSystemPartitions(guidOf, { IMAGECACHE: 128 });
  const perMib = 2048;
  assert.deepEqual(
    placed.map(({ label, number, first, last }) => [label, number, first / perMib, (last + 1) / perMib]),
    [
      ['EFI', 1, 1, 513],
      ['BIOS', 2, 513, 514],
      ['BOOT', 3, 514, 1538],
      ['META', 4, 1538, 1539],
      ['IMAGECACHE', 5, 1539, 1667],
    ],
  );
  encodeTable({ guid: guidOf('disk'), partitions: placed }, 1668 * perMib);
});
