import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from './await-recovery.ts';
import { hasFailed, lateOnes, shortcomings } from './report.ts';
import type { ChaosResult } from './run-chaos.ts';

const fault = { atMs: 2000, node: 'node01', victim: 'etcd' } as const;

test('lateOnes() finds victims that ran again too late, or not before their node was hit again', () => {
  const inTime: Outcome = { fault, result: 'back', startedMs: 5200, healthyMs: 90_000 };
  const tooLate: Outcome = { fault, result: 'back', startedMs: 60_000, healthyMs: 61_000 };
  const stillDown: Outcome = { fault, result: 'again', watchedMs: 60_000 };
  const soonHit: Outcome = { fault, result: 'again', watchedMs: 4000 };
  const wasBack: Outcome = { fault, result: 'again', startedMs: 5200, watchedMs: 60_000 };
  const missed: Outcome = { fault, result: 'missed' };
  const late = lateOnes([inTime, tooLate, stillDown, soonHit, wasBack, missed]);
  assert.deepEqual(late, [tooLate, stillDown]);
});

const good = {
  outcomes: [{ fault, result: 'back', startedMs: 1, healthyMs: 2 }] as readonly Outcome[],
  reads: new Map([['node01', { answered: 1, failed: 0 }]]),
  ...{ acknowledged: 1, unknown: 0, lost: [], history: [], strays: [], cacheProblems: [] },
  pulls: { pulled: 1, broken: 0 },
};

test('a run fails for a lost write, what is left behind, a dead victim or an unhealthy cluster, and for a late restart where time counts', () => {
  const fails = (result: Partial<ChaosResult>, judgesTime = false) =>
    hasFailed({ ...good, ...result }, { judgesTime });
  const late: Outcome = { fault, result: 'back', startedMs: 60_000, healthyMs: 61_000 };
  assert.ok(!fails({}, true));
  assert.ok(!fails({ outcomes: [late] }));
  assert.ok(fails({ outcomes: [late] }, true));
  assert.ok(fails({ outcomes: [{ fault, result: 'dead', watchedMs: 180_000 }] }));
  assert.ok(fails({ lost: ['chaos/1'] }));
  assert.ok(fails({ lost: undefined }));
  assert.ok(fails({ strays: ['zombie 7'] }));
  assert.ok(fails({ unrest: 'no healthy cluster within 480000 ms' }));
});

test('shortcomings() rejects a run that has tested nothing', () => {
  assert.deepEqual(shortcomings(good), []);
  const empty = {
    ...good,
    outcomes: [{ fault, result: 'missed' }] as readonly Outcome[],
    reads: new Map([['node01', { answered: 0, failed: 9 }]]),
    acknowledged: 0,
    lost: undefined,
    unrest: 'no healthy cluster within 180000 ms',
  };
  assert.deepEqual(shortcomings(empty), [
    'nothing was killed',
    'no write was ever acknowledged',
    'etcd does not say what it has kept',
    'node01 never answered',
    'no healthy cluster within 180000 ms',
  ]);
});
