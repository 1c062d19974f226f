// The last look of a control plane at the plan in etcd, before it makes itself unavailable.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planToBytes, type RolloutPlan } from '@nodewright/rollout';
import { grantProblem } from './grant-problem.ts';
import type { NodeTurn } from './node-turn-id.ts';
import { rolloutAction } from './rollout-action.ts';

const wanted = { image: 'registry.test/installer@sha256:1', allowsDowngrade: false, dropsExtensions: false };
const turn: NodeTurn = { rollout: 'a'.repeat(32), node: 'node02', role: 'control-plane', attempt: 1 };
const plan: RolloutPlan = {
  ...{ id: turn.rollout, action: rolloutAction(wanted), maxUnavailable: 2, pauseAfter: 0, limitMs: 60_000 },
  ...{ phase: 'running', reason: '', waitsFor: '' },
  nodes: [
    { name: 'node01', role: 'control-plane', attempt: 1, progress: { state: 'done' } },
    { name: 'node02', role: 'control-plane', attempt: 1, progress: { state: 'acting', spentMs: 0 } },
    { name: 'node03', role: 'worker', attempt: 1, progress: { state: 'waiting' } },
  ],
};
const problem = (stored: RolloutPlan, asked: Partial<NodeTurn> = {}, system = wanted) =>
  grantProblem({ bytes: planToBytes(stored) }, { ...turn, ...asked }, system);

test('a node begins only in its own turn of the plan that runs, with the system of the plan', () => {
  assert.equal(problem(plan), undefined);
  assert.equal(grantProblem(undefined, turn, wanted), 'etcd has no roll-out');
  const other = 'it is not the turn of this node';
  assert.equal(problem({ ...plan, phase: 'paused', reason: 'paused by request' }), other);
  assert.equal(problem({ ...plan, phase: 'aborted', reason: 'aborted by request' }), other);
  for (const asked of [{ rollout: 'b'.repeat(32) }, { attempt: 2 }, { node: 'node01' }, { node: 'node03' }])
    assert.equal(problem(plan, asked), other);
  assert.equal(problem(plan, {}, { ...wanted, image: 'foreign@sha256:2' }), 'the plan names another system');
  assert.equal(problem(plan, {}, { ...wanted, allowsDowngrade: true }), 'the plan names another system');
});

test('a plan that was tampered with grants nothing', () => {
  const [first, second, third] = plan.nodes;
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const bytesOf = (changed: object) => Buffer.from(JSON.stringify({ format: 1, ...plan, ...changed }));
  const acting = { state: 'acting', spentMs: 0 };
  for (const changed of [
    // Another control plane that acts at the same time.
    { nodes: [{ ...first, progress: acting }, second, third] },
    // A worker before the control planes are done.
    { nodes: [first, second, { ...third, progress: acting }] },
    { nodes: [first, second, second] },
    { phase: 'done' },
    { extra: true },
  ])
    assert.match(grantProblem({ bytes: bytesOf(changed) }, turn, wanted) ?? '', /not valid/);
  // Valid by itself, but the node has another role.
  const asWorker = { nodes: [first, { ...second, role: 'worker' }, third] };
  assert.equal(
    grantProblem({ bytes: bytesOf(asWorker) }, turn, wanted),
    'the plan has another role for node02',
  );
});
