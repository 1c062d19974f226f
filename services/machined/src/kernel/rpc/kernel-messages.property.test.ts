// Damaged kernel files pass through the parsers and the encoder: a reply can always be encoded.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  CPUsInfo,
  DiskStats,
  Memory,
  NetworkDeviceStats,
  SystemStat,
} from '@nodewright/contract/gen/machine/machine.ts';
import { noTelemetry } from '@nodewright/telemetry';
import fc from 'fast-check';
import type { KernelFiles } from '../../base/host/kernel-files.ts';
import { createKernelStatistics } from './kernel-statistics.ts';

type Statistics = ReturnType<typeof createKernelStatistics>;

/** Digits beyond any counter, signs, and arbitrary bytes, anywhere in a file of this machine. */
function damaged(path: string): fc.Arbitrary<string> {
  const text = readFileSync(path, 'utf8').slice(0, 4000);
  const piece = fc.oneof(
    fc.bigInt(-1n, 2n ** 70n).map(String),
    fc.string({ maxLength: 4, unit: 'binary' }),
    fc.constantFrom('\n', ' ', ':', '-', '.'),
  );
  return fc
    .array(fc.tuple(fc.nat(text.length), piece, fc.nat(20)), { maxLength: 8 })
    .map((changes) =>
      changes.reduce(
        (whole, [at, added, removed]) => whole.slice(0, at) + added + whole.slice(at + removed),
        text,
      ),
    );
}

interface Codec {
  fromPartial(value: never): unknown;
  encode(message: never): { finish(): Uint8Array };
}

const calls: readonly [string, Codec, (statistics: Statistics) => Promise<unknown>][] = [
  ['/proc/meminfo', Memory, (statistics) => statistics.memory({} as never, {} as never)],
  ['/proc/stat', SystemStat, (statistics) => statistics.systemStat({} as never, {} as never)],
  ['/proc/cpuinfo', CPUsInfo, (statistics) => statistics.cPUInfo({} as never, {} as never)],
  [
    '/proc/net/dev',
    NetworkDeviceStats,
    (statistics) => statistics.networkDeviceStats({} as never, {} as never),
  ],
  ['/proc/diskstats', DiskStats, (statistics) => statistics.diskStats({} as never, {} as never)],
];

for (const [path, codec, call] of calls) {
  test(`the reply from a damaged ${path} can be encoded`, async () => {
    await fc.assert(
      fc.asyncProperty(damaged(path), async (text) => {
        const kernel: KernelFiles = { read: () => text, [Symbol.dispose]: () => {} };
        const { messages } = (await call(createKernelStatistics(kernel, noTelemetry))) as {
          messages: never[];
        };
        assert.equal(messages.length, 1);
        codec.encode(codec.fromPartial(messages[0] as never) as never).finish();
      }),
      { numRuns: 150 },
    );
  });
}
