// A smaller run of `make sim` with fixed roll-outs, and proof that the simulation can fail.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateRollout } from './simulate-rollout.ts';

test('60 random roll-outs keep to the allowed number of unavailable nodes, and end or say what they wait for', async () => {
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= 60; seed += 1) {
    const { problem, end } = await simulateRollout({ seed });
    assert.equal(problem, undefined, `every step of it: make sim SEED=${seed} RUNS=1`);
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  // Each way to end is among them, so that none of them is untested.
  for (const end of ['done', 'paused', 'stopped', 'aborted', 'waits'])
    assert.ok((ends.get(end) ?? 0) > 0, `no roll-out has the end ${end}: ${JSON.stringify([...ends])}`);
});

test('a simulated roll-out repeats step by step with its seed', async () => {
  const stepsOf = async (seed: number) => {
    const steps: string[] = [];
    await simulateRollout({ seed, onStep: (text) => steps.push(text) });
    return steps;
  };
  const [first, again, other] = [await stepsOf(7), await stepsOf(7), await stepsOf(8)];
  assert.deepEqual(first, again);
  assert.notDeepEqual(first, other);
  assert.ok(first.length > 20, `${first.length} steps`);
});

test('a simulation detects a driver that takes every node for well', async () => {
  const problems: string[] = [];
  for (let seed = 1; seed <= 80; seed += 1) {
    const { problem } = await simulateRollout({ seed, looksAway: true });
    if (problem !== undefined) problems.push(problem);
  }
  assert.ok(problems.length > 0, `found in ${problems.length} roll-outs of 80`);
});
