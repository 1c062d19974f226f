import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VotingState } from '@nodewright/etcd/quorum';
import { planRestart } from './plan-restart.ts';

const member = (id: bigint, isAlive: boolean): VotingState => ({
  ...{ id, name: `node0${id}`, isLearner: false, isAlive },
});

test('planRestart() restarts a running member only while every other member answers', () => {
  const plans = [
    [member(1n, true)],
    [member(1n, true), member(2n, true), member(3n, true)],
    [member(1n, true), member(2n, false), member(3n, true)],
    [member(1n, true), member(2n, false), member(3n, false)],
  ].map((members) => planRestart(members, 1n));
  const waitFor = (names: string) => ({
    kind: 'wait',
    reason: `etcd of ${names} does not answer: this node restarts its own etcd only when all other members answer`,
  });
  const running = { kind: 'restart', isRunning: true };
  assert.deepEqual(plans, [running, running, waitFor('node02'), waitFor('node02 and node03')]);
});

test('planRestart() restarts a member that does not answer or is not in the cluster, whatever the others do', () => {
  const others = [member(2n, false), member(3n, true)];
  const plans = [[member(1n, false), ...others], others].map((members) => planRestart(members, 1n));
  const dead = { kind: 'restart', isRunning: false };
  assert.deepEqual(plans, [dead, dead]);
});
