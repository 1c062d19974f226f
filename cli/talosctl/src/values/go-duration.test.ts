import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseGoDuration } from './go-duration.ts';

test('parseGoDuration() parses durations as Go prints them', () => {
  const rows: [string, bigint][] = [
    ['8760h0m0s', 31_536_000_000_000_000n],
    ['1.5h', 5_400_000_000_000n],
    ['1m30s', 90_000_000_000n],
    ['250ms', 250_000_000n],
    ['3us2ns', 3_002n],
  ];
  assert.deepEqual(
    rows.map(([text]) => parseGoDuration(text)),
    rows.map(([, nanos]) => nanos),
  );
});

test('parseGoDuration() rejects an invalid duration', () => {
  for (const text of ['', '1', '-1h', '1d', '1h ', 'h', '1.h', '1h2']) {
    assert.throws(
      () => parseGoDuration(text),
      { message: 'It must be a duration such as 24h or 1h30m.' },
      text,
    );
  }
});
