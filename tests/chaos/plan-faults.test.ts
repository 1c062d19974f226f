import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planFaults } from './plan-faults.ts';

const nodes = [
  { name: 'node01', type: 'controlplane' },
  { name: 'node02', type: 'worker' },
] as const;

test('a seed always gives the same schedule, and another seed gives another', () => {
  const plan = (seed: number) => planFaults({ seed, durationMs: 600_000, nodes });
  assert.deepEqual(plan(7), plan(7));
  assert.notDeepEqual(plan(7), plan(8));
});

test('a schedule fills its duration, and kills only programs that a node has', () => {
  const faults = planFaults({ seed: 1, durationMs: 600_000, nodes });
  assert.ok(faults.length > 60, String(faults.length));
  assert.ok(faults.every(({ atMs }, index) => atMs < 600_000 && atMs > (faults[index - 1]?.atMs ?? 0)));
  const ofWorker = new Set(faults.filter(({ node }) => node === 'node02').map(({ victim }) => victim));
  assert.deepEqual([...ofWorker].sort(), ['apid', 'machined', 'node', 'registryd']);
});
