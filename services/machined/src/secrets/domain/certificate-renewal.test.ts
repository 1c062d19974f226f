import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRenewalDue, renewalDelayMs, renewalPeriodMs, termOfIssued } from './certificate-renewal.ts';

test('isRenewalDue() is true after half of the lifetime and when the clock was set back', () => {
  const due = (ageMs: number) => isRenewalDue(1_000_000, 1_000_000 + ageMs);
  assert.deepEqual(
    [due(0), due(renewalPeriodMs - 1), due(renewalPeriodMs), due(-1)],
    [false, false, true, true],
  );
});

test('renewalDelayMs() is at most half an hour, never past the renewal, and a minute while it is due', () => {
  const delay = (ageMs: number) => renewalDelayMs(1_000_000, 1_000_000 + ageMs);
  assert.deepEqual(
    [delay(0), delay(renewalPeriodMs - 1000), delay(renewalPeriodMs + 5), delay(-5)],
    [30 * 60 * 1000, 1000, 60_000, 60_000],
  );
});

test('termOfIssued() believes the end of a certificate, unless it has ended when it arrives, and no term is too short', () => {
  const hourMs = 3_600_000;
  const arrivedAtMs = 1_000_000 * hourMs;
  const term = (fromHours: number, toHours: number) => {
    const at = (hours: number) => new Date(arrivedAtMs + hours * hourMs);
    const { endsAtMs, renewalPeriodMs: periodMs } = termOfIssued(
      { notBefore: at(fromHours), notAfter: at(toHours) },
      arrivedAtMs,
    );
    return [(endsAtMs - arrivedAtMs) / hourMs, periodMs / hourMs];
  };
  const minute = 1 / 60;
  assert.deepEqual(
    [term(0, 24), term(-20, 4), term(100, 124), term(-100, -76), term(0, 0), term(0, 0.001), term(5, 1)],
    [
      [24, 12],
      [4, 2],
      [124, 12],
      [24, 12],
      ...Array.from({ length: 2 }, () => [minute, minute]),
      [1, minute],
    ],
  );
});
