import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatGoSeconds, formatGoTime, formatTimestamp, isValidTimestamp, secondsSince } from './go-time.ts';
import { formatJson } from './json.ts';
import { formatRelativeTime } from './relative-time.ts';
import { formatBinarySize, formatCount, formatDecimalSize, formatPercentUsed } from './size.ts';
import { formatYaml } from './yaml.ts';

test('formatDecimalSize() counts in thousands with one decimal below ten', () => {
  const rows: [bigint, string][] = [
    [0n, '0 B'],
    [9n, '9 B'],
    [10n, '10 B'],
    [999n, '999 B'],
    [1000n, '1.0 kB'],
    [9_949n, '9.9 kB'],
    [9_950n, '10 kB'],
    [20_480n, '20 kB'],
    [21_500n, '22 kB'],
    [82_000n, '82 kB'],
    [999_950n, '1000 kB'],
    [9_100_000n, '9.1 MB'],
    [8_323_756_032n, '8.3 GB'],
    [18_446_744_073_709_551_615n, '18 EB'],
  ];
  assert.deepEqual(
    rows.map(([bytes]) => formatDecimalSize(bytes)),
    rows.map(([, text]) => text),
  );
});

test('formatBinarySize() counts in 1024 without a space', () => {
  const sizes = [
    0n,
    9n,
    10n,
    1023n,
    1024n,
    10_189n,
    10_240n,
    1_006_632_960n,
    10_000_000_000n,
    2n ** 64n - 1n,
  ];
  assert.deepEqual(sizes.map(formatBinarySize), [
    ...['0B', '9B', '10B', '1023B', '1.0KiB', '10KiB', '10KiB', '960MiB', '9.3GiB', '16EiB'],
  ]);
});

test('formatCount() has one decimal where it is needed', () => {
  const counts = [0n, 999n, 1000n, 1049n, 1050n, 327_680n, 1_000_000n, 2n ** 64n - 1n];
  assert.deepEqual(counts.map(formatCount), ['0', '999', '1K', '1K', '1.1K', '327.7K', '1M', '18.4E']);
});

test('formatPercentUsed() rounds up, and prints - for a total of zero', () => {
  const rows: [bigint, bigint][] = [
    ...([
      [0n, 0n],
      [0n, 5n],
      [1n, 999n],
      [10n, 990n],
    ] as [bigint, bigint][]),
    ...([
      [1n, 2n],
      [7n, 0n],
      [2n ** 63n, 2n ** 63n],
    ] as [bigint, bigint][]),
  ];
  const texts = ['-', '0%', '1%', '1%', '34%', '100%', '50%'];
  assert.deepEqual(
    rows.map(([used, free]) => formatPercentUsed(used, free)),
    texts,
  );
});

test('formatGoSeconds() prints durations as Go does', () => {
  assert.deepEqual([0, 0.4, 45, 59.6, 125, 3600, 93_789, -5, -0.2].map(formatGoSeconds), [
    '0s',
    '0s',
    '45s',
    '1m0s',
    '2m5s',
    '1h0m0s',
    '26h3m9s',
    '-5s',
    '0s',
  ]);
});

test('timestamps are printed with all their digits, in Go and in RFC 3339', () => {
  const time = { seconds: 1_786_708_800n, nanos: 123_000_000 };
  const odd = { seconds: 1_786_708_800n, nanos: 7 };
  assert.deepEqual(
    [
      formatGoTime(time),
      formatGoTime({ ...time, nanos: 0 }),
      formatTimestamp(odd),
      formatTimestamp(undefined),
    ],
    [
      '2026-08-14 12:00:00.123 +0000 UTC',
      '2026-08-14 12:00:00 +0000 UTC',
      '2026-08-14T12:00:00.000000007Z',
      undefined,
    ],
  );
  assert.equal(secondsSince(time, new Date('2026-08-14T12:01:00.123Z')).toFixed(3), '60.000');
});

test('isValidTimestamp() accepts the years that protobuf permits', () => {
  assert.deepEqual(
    [
      { seconds: -62135596800n, nanos: 0 },
      { seconds: -62135596801n, nanos: 0 },
      { seconds: 253402300799n, nanos: 999_999_999 },
      { seconds: 253402300800n, nanos: 0 },
      { seconds: 0n, nanos: -1 },
      { seconds: 0n, nanos: 1_000_000_000 },
    ].map(isValidTimestamp),
    [true, false, true, false, false, false],
  );
});

test('formatRelativeTime() prints the distance of a time', () => {
  const now = new Date('2026-08-14T12:00:00Z');
  const day = 86_400;
  const rows: [number, string][] = [
    [0, 'now'],
    [1, '1 second from now'],
    [-59, '59 seconds ago'],
    [-60, '1 minute ago'],
    [23 * 3600, '23 hours from now'],
    [day, '1 day from now'],
    [13 * day, '1 week from now'],
    [45 * day, '1 month from now'],
    [365 * day, '1 year from now'],
    [600 * day, '2 years from now'],
    [3650 * day, '10 years from now'],
    [-20_000 * day, 'a long while ago'],
  ];
  assert.deepEqual(
    rows.map(([seconds]) => formatRelativeTime(new Date(now.getTime() + seconds * 1000), now)),
    rows.map(([, text]) => text),
  );
});

test('documents contain 64-bit integers with all their digits', () => {
  const value = { big: 18_446_744_073_709_551_615n, list: [1n] };
  assert.equal(formatJson(value), '{\n  "big": 18446744073709551615,\n  "list": [\n    1\n  ]\n}');
  assert.equal(formatYaml(value), 'big: 18446744073709551615\nlist:\n  - 1');
});
