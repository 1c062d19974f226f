import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phases, planMoments, type Request } from './plan-moments.ts';

const write: Request = { isFlush: false, isOfStart: true };
const other: Request = { isFlush: false, isOfStart: false };
const flush: Request = { isFlush: true, isOfStart: false };
const requests = Array.from({ length: 40 }, () => [other, write, flush, other, flush]).flat();
const ends = { install: 50, upgrade: 100, confirmation: 150, rollback: 200 };

test('the cuts of a seed are the same each time, those of fewer cuts are the first ones of more', () => {
  const all = planMoments(7, 40, requests, ends);
  assert.deepEqual(planMoments(7, 40, requests, ends), all);
  assert.deepEqual(planMoments(7, 24, requests, ends), all.slice(0, 24));
  assert.notDeepEqual(planMoments(8, 40, requests, ends), all);
});

test('each cut is in its phase, at a request that changes what a machine starts from or at the flush after it', () => {
  for (const { phase, cutBefore } of planMoments(1, 100, requests, ends)) {
    const before = phases[phases.indexOf(phase) - 1];
    assert.ok(cutBefore > (before === undefined ? 0 : ends[before]) && cutBefore <= ends[phase]);
    assert.ok([1, 2].includes((cutBefore - 1) % 5), `request ${cutBefore}`);
  }
});

test('of 24 cuts each phase has one that is followed by a start', () => {
  const booted = planMoments(1, 24, requests, ends).filter(({ isBooted }) => isBooted);
  assert.deepEqual(booted.map(({ phase }) => phase).sort(), [...phases].sort());
});

test('a phase without such a request is an error', () => {
  assert.throws(() => planMoments(1, 4, [other, flush], { ...ends, install: 2 }), /changes nothing/);
});
