import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JudgedEtcd } from '../../judge/judge-etcd.ts';
import { votersAfter } from './voters-after.ts';

const member = (node: string, role: string) => ({
  node,
  role,
  member: undefined,
  condition: 'good' as const,
});
const etcd: JudgedEtcd = {
  members: [member('a', 'follower'), member('b', 'leader'), member('c', 'away'), member('d', 'learner')],
  ...{ leader: 'b', term: 2, raftIndex: 7, statement: undefined },
};
const node = (name: string) => ({
  ...{ node: name, what: 'reboots', stops: [], etcd: 'voter' as const, isLeader: false, refusals: [] },
});
const quorum = {
  ...{ votersBefore: 4, lost: 1, voters: 4, alive: 3, needed: 3, hasQuorum: true },
  downAlready: ['c', 'member 7'],
};

test('what-if names the voters: those that stop first, the leader, and those that do not answer already', () => {
  const rows = (chosen: readonly string[]) =>
    votersAfter(etcd, { nodes: chosen.map(node), quorum }).map(
      ({ name, isLeader, after }) => `${name}${isLeader ? ' leads' : ''}: ${after}`,
    );
  assert.deepEqual(rows(['b']), [
    'b leads: stops: another one is elected',
    'c: does not answer already',
    'member 7: does not answer already',
    'a: answers',
  ]);
  assert.deepEqual(rows(['a', 'c']).slice(0, 2), ['a: stops', 'c: stops']);
});

test('what-if does not say of a voter that was not asked yet that it answers, or that it does not', () => {
  const unasked = { ...etcd, members: [member('a', 'not known'), member('b', 'leader')] };
  const effect = { nodes: [node('b')], quorum: { ...quorum, downAlready: [] } };
  assert.deepEqual(
    votersAfter(unasked, effect).map(({ name, after }) => `${name}: ${after}`),
    ['b: stops: another one is elected', 'a: not known yet'],
  );
  const down = { ...effect, quorum: { ...quorum, downAlready: ['a'] } };
  assert.equal(votersAfter(unasked, down)[1]?.after, 'does not answer already');
});
