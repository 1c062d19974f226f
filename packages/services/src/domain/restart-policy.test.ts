import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashesAfter, pauseBeforeRun, restartReason } from './restart-policy.ts';

test('restartReason() has a text for each policy, and none when the service has ended', () => {
  const rows = (['forever', 'untilSuccess', 'once'] as const).flatMap((policy) =>
    [undefined, 'exit status 1'].map((error) => [policy, error, restartReason(policy, 'P', error)]),
  );
  assert.deepEqual(rows, [
    ['forever', undefined, 'Runner P exited without error, going to restart it'],
    ['forever', 'exit status 1', 'Error running P, going to restart forever: exit status 1'],
    ['untilSuccess', undefined, undefined],
    ['untilSuccess', 'exit status 1', 'Error running P, going to restart until it succeeds: exit status 1'],
    ['once', undefined, undefined],
    ['once', 'exit status 1', undefined],
  ]);
});

test('pauseBeforeRun() is the usual pause at first and doubles up to a minute in a crash loop', () => {
  const pauses = [0, 1, 4, 5, 6, 7, 8, 9, 10, 1000].map((crashes) => pauseBeforeRun(crashes, 5000));
  assert.deepEqual(
    pauses,
    [5, 5, 5, 5, 10, 20, 40, 60, 60, 60].map((seconds) => seconds * 1000),
  );
});

test('pauseBeforeRun() is never so short that a crash loop uses a whole processor', () => {
  assert.deepEqual(
    [0, 1, 6].map((crashes) => pauseBeforeRun(crashes, 0)),
    [100, 100, 200],
  );
});

test('crashesAfter() resets the count after a long run', () => {
  const rows = [0, 100, 9999, 10_000, 3_600_000].map((ranMs) => crashesAfter(7, ranMs, 5000));
  assert.deepEqual(rows, [8, 8, 8, 0, 0]);
});
