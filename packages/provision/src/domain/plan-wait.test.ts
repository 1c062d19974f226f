import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planNodes } from './cluster-shape.ts';
import { planWait, type WaitFacts } from './plan-wait.ts';

const nodes = planNodes({ controlPlanes: 2, workers: 1 }, { first: 10, second: 5, third: 0 });
const plan = (facts: Partial<WaitFacts>) => {
  const all = { nodes, endpoints: ['a', 'b'], isAwaited: () => true, isWiped: () => false };
  const { wiped, awaited } = planWait({ ...all, ...facts });
  return {
    wiped: wiped.map(({ name }) => name),
    awaited: awaited.map(({ node, endpoint, isDirect }) => [node.name, endpoint, isDirect]),
  };
};

test('planWait() calls control planes at their own endpoints, and workers through the first control plane', () => {
  assert.deepEqual(plan({}), {
    wiped: [],
    awaited: [
      ['node01', 'a', true],
      ['node02', 'b', true],
      ['node03', 'a', false],
    ],
  });
});

test('planWait() calls a worker through a control plane that is awaited as well', () => {
  assert.deepEqual(plan({ isAwaited: (name) => name !== 'node01' }).awaited, [
    ['node02', 'b', true],
    ['node03', 'b', false],
  ]);
  assert.deepEqual(plan({ isAwaited: (name) => name === 'node03' }).awaited, [['node03', 'a', false]]);
});

test('planWait() leaves out nodes that were reset, and all nodes when no control plane is left', () => {
  assert.deepEqual(plan({ isWiped: (name) => name === 'node01' }), {
    wiped: ['node01'],
    awaited: [
      ['node02', 'b', true],
      ['node03', 'b', false],
    ],
  });
  assert.deepEqual(plan({ isWiped: (name) => name !== 'node03' }), {
    wiped: ['node01', 'node02'],
    awaited: [],
  });
});
