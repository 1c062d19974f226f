// Every parser of a kernel file gets files of real kernels with random damage. It must skip what it cannot
// parse or throw a Fault, and its results must fit the wire format.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { parseUptime } from './boot-facts.ts';
import { effectiveCapabilities } from './effective-capabilities.ts';
import { fixture } from './fixture.ts';
import { parseCpuinfo } from './parse-cpuinfo.ts';
import { parseDiskstats } from './parse-diskstats.ts';
import { parseKmsgRecord } from './parse-kmsg-record.ts';
import { parseLoadavg } from './parse-loadavg.ts';
import { parseMeminfo } from './parse-meminfo.ts';
import { parseMounts, pathFromMountPoint } from './parse-mounts.ts';
import { parseNetDev } from './parse-net-dev.ts';
import { parseProcessStat } from './parse-process-stat.ts';
import { parseSocketTable, socketTableNames } from './parse-socket-table.ts';
import { parseStat } from './parse-stat.ts';

type Mutation =
  | { readonly kind: 'overwrite' | 'insert'; readonly at: number; readonly text: string }
  | { readonly kind: 'remove' | 'repeat'; readonly at: number; readonly length: number }
  | { readonly kind: 'cut'; readonly at: number };

/** Values that break parsers: arbitrary bytes, separators, signs, and numbers beyond any counter. */
const piece = fc.oneof(
  fc.string({ minLength: 1, maxLength: 6, unit: 'binary' }),
  fc.constantFrom(
    '\n',
    ' ',
    '\t',
    ':',
    ',',
    ';',
    '\0',
    '-1',
    '0x',
    'NaN',
    '1e999',
    '(',
    ')',
    '\\x4',
    '\\040',
  ),
  fc.bigInt(-1n, 2n ** 70n).map(String),
);
/** The position as a fraction of the file, so that it shrinks and fits a file of any length. */
const place = fc.double({ min: 0, max: 1, noNaN: true });

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('overwrite' as const, 'insert' as const), at: place, text: piece }),
  fc.record({
    kind: fc.constantFrom('remove' as const, 'repeat' as const),
    at: place,
    length: fc.integer({ min: 1, max: 80 }),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: place }),
);

function apply(text: string, change: Mutation): string {
  const at = Math.floor(change.at * text.length);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (change.kind) {
    case 'overwrite':
      return before + change.text + after.slice(change.text.length);
    case 'insert':
      return before + change.text + after;
    case 'remove':
      return before + after.slice(change.length);
    case 'repeat':
      return before + after.slice(0, change.length) + after;
    case 'cut':
      return before;
  }
}

/** `text` with up to twelve random changes. */
function mutated(text: string): fc.Arbitrary<string> {
  return fc.array(mutation, { maxLength: 12 }).map((changes) => changes.reduce(apply, text));
}

const largestUint64 = 2n ** 64n - 1n;
const largestUint32 = 2 ** 32 - 1;

/**
 * Checks every number in `value` at any depth: a bigint fits 64 bits unsigned, an integer 32, and others are
 * finite.
 */
function assertInRange(value: unknown): void {
  if (typeof value === 'bigint') assert.ok(value >= 0n && value <= largestUint64, `${value}`);
  else if (typeof value === 'number') assert.ok(Number.isFinite(value) && value >= 0, `${value}`);
  else if (value instanceof Uint8Array) return;
  else if (value instanceof Map) for (const entry of value.values()) assertInRange(entry);
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(assertInRange);
}

function holdsFor(text: string, parse: (text: string) => unknown): void {
  // Short files are enough to test damage at any position, and fast to parse.
  fc.assert(
    fc.property(mutated(text.slice(0, 6000)), (damaged) => {
      try {
        assertInRange(parse(damaged));
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        assert.match(error.message, /^no .* in "/);
      }
    }),
    { numRuns: 300 },
  );
}

const parsers: Readonly<Record<string, readonly [string, (text: string) => unknown]>> = {
  'parseCpuinfo() of x86': [fixture('cpuinfo-x86_64.txt'), parseCpuinfo],
  'parseCpuinfo() of arm64': [fixture('cpuinfo-arm64-board.txt'), parseCpuinfo],
  'parseDiskstats()': [fixture('diskstats.txt'), parseDiskstats],
  'parseLoadavg()': [fixture('loadavg.txt'), parseLoadavg],
  'parseMeminfo()': [fixture('meminfo-x86_64.txt'), parseMeminfo],
  'parseMounts()': [
    fixture('mounts.txt'),
    (text) => parseMounts(text).map(({ mountPoint }) => pathFromMountPoint(mountPoint)),
  ],
  'parseNetDev()': [fixture('net-dev.txt'), parseNetDev],
  'parseProcessStat()': [readFileSync('/proc/self/stat', 'utf8'), parseProcessStat],
  'parseStat()': [fixture('stat-x86_64.txt'), parseStat],
  'parseUptime()': [readFileSync('/proc/uptime', 'utf8'), parseUptime],
  'effectiveCapabilities()': [readFileSync('/proc/self/status', 'utf8'), effectiveCapabilities],
  'parseKmsgRecord()': [
    '6,339,5140900,-;NET: Registered protocol family 10\\x0a\n SUBSYSTEM=net\n DEVICE=+net:eth0\n',
    (text) => parseKmsgRecord(Buffer.from(text, 'latin1')),
  ],
};

for (const [name, [text, parse]] of Object.entries(parsers)) {
  test(`${name} survives a damaged file and returns numbers in range`, () => holdsFor(text, parse));
}

for (const table of socketTableNames.filter((name) => name !== 'udplite6')) {
  test(`parseSocketTable() survives a damaged ${table} and returns numbers in range`, () => {
    const original = [...parseSocketTable(fixture(`net-${table}.txt`))];
    assert.notEqual(original.length, 0);
    holdsFor(fixture(`net-${table}.txt`), (text) => {
      const sockets = [...parseSocketTable(text)];
      for (const { local, remote, uid, state, timer } of sockets) {
        assert.ok([local, remote].every(({ port }) => port <= 0xffff));
        assert.ok(uid <= largestUint32 && state <= 0xff && timer <= 0xff);
      }
      return sockets;
    });
  });
}
