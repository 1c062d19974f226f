import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRenewalDue, renewalDelayMs, renewalPeriodMs } from './certificate-renewal.ts';

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
