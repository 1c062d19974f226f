import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Counters, countersFromColumns, sumCounters } from './counters.ts';
import { fixture } from './fixture.ts';
import { parseDiskstats } from './parse-diskstats.ts';
import { networkDeviceCounterNames, parseNetDev } from './parse-net-dev.ts';

const names = ['one', 'two'] as const;

test('countersFromColumns() refuses missing or non-numeric columns, and ignores further ones', () => {
  assert.deepEqual(countersFromColumns(names, ['1', '2', 'x']), { one: 1n, two: 2n });
  for (const columns of [[], ['1'], ['1', '-2'], ['1', '']]) {
    assert.equal(countersFromColumns(names, columns), undefined);
  }
});

test('sumCounters() of two lists together is the sum of their sums', () => {
  const row = fc.record({ one: fc.bigInt(0n, 2n ** 64n), two: fc.bigInt(0n, 2n ** 64n) });
  fc.assert(
    fc.property(fc.array(row), fc.array(row), (left, right) => {
      const sum = (rows: Counters<'one' | 'two'>[]) => sumCounters(names, rows);
      assert.deepEqual(sum([...left, ...right]), sum([sum(left), sum(right)]));
    }),
  );
});

test('parseNetDev() reads devices and skips the headings', () => {
  const text = fixture('net-dev.txt');
  assert.deepEqual(
    parseNetDev(text).map((device) => device.name),
    ['lo', 'ifb0', 'ifb1', 'eth0'],
  );
  const numbers = networkDeviceCounterNames.map((_name, index) => BigInt(index + 1));
  assert.deepEqual(parseNetDev(`  eth0:0: ${numbers.join('  ')}\n`), [
    {
      name: 'eth0:0',
      counters: Object.fromEntries(networkDeviceCounterNames.map((name, index) => [name, numbers[index]])),
    },
  ]);
});

test('parseDiskstats() reads disks with discard counters and skips shorter lines', () => {
  const disks = parseDiskstats(
    `${fixture('diskstats.txt')} 253 1 vda1 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n`,
  );
  assert.deepEqual(
    disks.map((disk) => disk.name),
    ['loop0', 'loop1', 'vda', 'vda1'],
  );
  assert.deepEqual(disks.at(-1)?.counters, {
    readCompleted: 1n,
    readMerged: 2n,
    readSectors: 3n,
    readTimeMs: 4n,
    writeCompleted: 5n,
    writeMerged: 6n,
    writeSectors: 7n,
    writeTimeMs: 8n,
    ioInProgress: 9n,
    ioTimeMs: 10n,
    ioTimeWeightedMs: 11n,
    discardCompleted: 12n,
    discardMerged: 13n,
    discardSectors: 14n,
    discardTimeMs: 15n,
  });
});
