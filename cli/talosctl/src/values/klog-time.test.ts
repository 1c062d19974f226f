import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { klogTime } from './klog-time.ts';

const two = (value: number) => String(value).padStart(2, '0');
const lineAt = (ms: number) => {
  const date = new Date(ms);
  const clock = date.toISOString().slice(11, 23);
  return `I${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())} ${clock}456       1 server.go:10] text`;
};

test('klogTime() gives back each time of the last year, at any moment', () => {
  const moment = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2100, 0, 1) });
  const age = fc.integer({ min: -86_399_000, max: 363 * 86_400_000 });
  fc.assert(
    fc.property(moment, age, (nowMs, ageMs) => klogTime(lineAt(nowMs - ageMs), nowMs) === nowMs - ageMs),
    { seed: 44, numRuns: 2000 },
  );
});

test('klogTime() reads a line of the old year in the new one, and the 29th of February in any year', () => {
  const nowMs = Date.UTC(2026, 0, 1, 0, 5);
  assert.equal(klogTime('E1231 23:59:59.000001 1 a.go:1] x', nowMs), Date.UTC(2025, 11, 31, 23, 59, 59));
  assert.equal(klogTime('W0229 12:00:00.5000 1 a.go:1] x', nowMs), Date.UTC(2024, 1, 29, 12, 0, 0, 500));
});

test('klogTime() reads no other line', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  for (const line of [
    '',
    'I',
    'I1332 00:00:00.000000 x',
    'I0231 00:00:00.000000 x',
    'I0101 24:00:00.000000 x',
    ' I0101 00:00:00.000000 x',
  ])
    assert.equal(klogTime(line, nowMs), undefined, line);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (line) =>
      ['number', 'undefined'].includes(typeof klogTime(line, nowMs)),
    ),
    { seed: 44 },
  );
});
