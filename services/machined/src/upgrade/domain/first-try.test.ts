import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyRecord, type System, type Trial } from '@nodewright/boot';
import { isFirstTry } from './first-try.ts';

const [a, b] = (['A', 'B'] as const).map((slot) => ({ slot, rootHash: slot.toLowerCase().repeat(64) })) as [
  System,
  System,
];
const trial = (phase: Trial['phase']): Trial => ({
  ...{ system: b, wayBack: a, phase, reason: '', missingBefore: [] },
});

test('a system whose start failed before it could say that it runs is left, and no other one', () => {
  assert.equal(isFirstTry({ ...emptyRecord, trial: trial('prepared') }, b), true);
  assert.equal(isFirstTry({ ...emptyRecord, trial: trial('given up') }, b), true);
  // It may be the default by now: a restart would lead to it again, and again.
  assert.equal(isFirstTry({ ...emptyRecord, trial: trial('running') }, b), false);
  assert.equal(isFirstTry({ ...emptyRecord, trial: trial('prepared') }, a), false);
  assert.equal(isFirstTry({ ...emptyRecord, trial: trial('prepared') }, { ...b, rootHash: 'c' }), false);
  assert.equal(isFirstTry(emptyRecord, b), false);
  assert.equal(isFirstTry('lost', b), false);
});
