// A smaller run of `make sim` with fixed graphs, and proof that a simulation can fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from './simulate.ts';

test('300 random graphs of controllers reach the expected state, in two orders each', async () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    for (const schedule of [0, 1]) {
      const problem = await simulate({ seed, schedule });
      assert.equal(problem, undefined, `every step of it: make sim SEED=${seed} RUNS=1`);
    }
  }
});

test('a simulation repeats step by step with its seed, and differs with another order', async () => {
  const stepsOf = async (schedule: number) => {
    const steps: string[] = [];
    await simulate({ seed: 7, schedule, onStep: (text) => steps.push(text) });
    return steps;
  };
  const [first, again, other] = [await stepsOf(0), await stepsOf(0), await stepsOf(1)];
  assert.deepEqual(first, again);
  assert.notDeepEqual(first, other);
  assert.ok(first.length > 100, `${first.length} steps`);
});

test('a simulation detects a store that loses events silently', async () => {
  const problems: string[] = [];
  for (let seed = 1; seed <= 100; seed += 1) {
    const problem = await simulate({ seed, schedule: 0, losesEvents: 'silently' });
    if (problem !== undefined) problems.push(problem);
  }
  assert.ok(problems.length > 5, `found in ${problems.length} graphs of 100`);
});
