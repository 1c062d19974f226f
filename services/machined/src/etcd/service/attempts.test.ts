import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { makeAttempts } from './attempts.ts';

const schedule = { totalMs: 60_000, attemptMs: 5_000, unitMs: 10_000, jitterMs: 0 };
const hourMs = 3_600_000;

/** How many attempts are made when the clock is set by `stepMs` during the first one. */
async function countAttempts(stepMs: number): Promise<number> {
  const timers = new FakeTimers();
  let attempts = 0;
  const made = makeAttempts(
    {
      ...{ schedule, timers, random: () => 0, signal: new AbortController().signal },
      onFailure: () => setImmediate(() => timers.step(Number.POSITIVE_INFINITY)),
    },
    async () => {
      attempts += 1;
      if (attempts === 1) timers.stepClock(stepMs);
      // An end for the case that the time is never up.
      if (attempts < 20) throw new Fault('unavailable', 'no answer');
    },
  );
  await made.catch(() => {});
  return attempts;
}

test('makeAttempts() makes as many attempts as its time allows, whatever is done to the clock', async () => {
  assert.deepEqual(
    [await countAttempts(0), await countAttempts(hourMs), await countAttempts(-hourMs)],
    [6, 6, 6],
  );
});
