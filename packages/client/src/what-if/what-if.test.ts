import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterFacts, MemberFacts, NodeFacts } from './cluster-facts.ts';
import { effectLines, etcdLines, stopLines } from './effect-lines.ts';
import type { PlannedAction } from './planned-action.ts';
import { whatIf } from './what-if.ts';

const reboot: PlannedAction = { kind: 'reboot', mode: 'default' };
const reset: PlannedAction = {
  ...{ kind: 'reset', isGraceful: true, reboots: false, wiped: 'everything', userDisks: [] },
};
const voter = (id: number, more: Partial<MemberFacts> = {}): MemberFacts => ({
  ...{ id: BigInt(id), hostname: `cp-${id}`, isLearner: false, isAlive: true },
  ...more,
});
const voters = (count: number) => Array.from({ length: count }, (_, at) => voter(at + 1));
const learner = voter(9, { isLearner: true });
const onMember = (id: number, more: Partial<NodeFacts> = {}): NodeFacts => ({
  name: `node0${id}`,
  etcd: BigInt(id),
  ...more,
});
const silent = (name: string): NodeFacts => ({ name });
const linesOf = (action: PlannedAction, facts: ClusterFacts) => etcdLines(whatIf(action, facts));

test('whatIf() counts the lost voters and the remaining ones, and reports a lost quorum', () => {
  const rows: readonly [MemberFacts[], number[], string[]][] = [
    [voters(3), [7], []],
    [[...voters(1), learner], [9], []],
    [voters(3), [1], ['this takes away 1 etcd voter, 2 of 3 remain']],
    [
      voters(3),
      [1, 2],
      ['this takes away 2 etcd voters, 1 of 3 remains, too few for etcd to work (it needs 2)'],
    ],
    [voters(5), [1, 2], ['this takes away 2 etcd voters, 3 of 5 remain']],
    [[...voters(1), learner], [1], ['this takes away the last etcd voter']],
    [voters(3), [1, 2, 3], ['this takes away all 3 etcd voters']],
  ];
  for (const [members, ids, lines] of rows)
    assert.deepEqual(linesOf(reboot, { nodes: ids.map((id) => onMember(id)), members }), lines);
  // Members that leave etcd first do not count towards the quorum.
  assert.deepEqual(linesOf(reset, { nodes: [onMember(1), onMember(2)], members: voters(3) }), [
    'this takes away 2 etcd voters, 1 of 3 remains',
  ]);
});

test('whatIf() counts a voter that does not answer already', () => {
  const members = [voter(1), voter(2), voter(3, { isAlive: false })];
  const line =
    'this takes away 1 etcd voter, 2 of 3 remain, of which cp-3 does not answer, too few for etcd to work (it needs 2)';
  assert.deepEqual(linesOf(reboot, { nodes: [onMember(1)], members }), [line]);
  // The one that is down is the target itself: nothing changes for the others.
  const { quorum } = whatIf(reboot, { nodes: [onMember(3)], members });
  assert.deepEqual([quorum?.alive, quorum?.hasQuorum], [2, true]);
});

test('whatIf() counts a node that did not say as a voter, and reports that', () => {
  const counted = (names: string, what: string) => `${names} did not answer: counted as ${what}`;
  assert.deepEqual(linesOf(reboot, { nodes: [onMember(1), silent('node02')], members: voters(3) }), [
    counted('node02', 'an etcd voter'),
    'this takes away 2 etcd voters, 1 of 3 remains, too few for etcd to work (it needs 2)',
  ]);
  assert.deepEqual(linesOf(reboot, { nodes: [silent('a'), silent('b')], members: voters(1) }), [
    counted('a, b', 'etcd voters'),
    'this takes away the last etcd voter',
  ]);
  const unknown = whatIf(reboot, { nodes: [silent('node01')], members: undefined });
  assert.deepEqual(etcdLines(unknown), [
    counted('node01', 'an etcd voter'),
    'this may take away every etcd voter, and with them the data of the cluster',
  ]);
  assert.equal(unknown.losesVote, true);
  const worker = whatIf(reboot, { nodes: [{ name: 'w', etcd: 'none' }], members: undefined });
  assert.deepEqual([etcdLines(worker), worker.losesVote], [[], false]);
});

test('whatIf() names what would refuse the action', () => {
  const refusals = (action: PlannedAction, facts: Partial<ClusterFacts> & Pick<ClusterFacts, 'nodes'>) =>
    whatIf(action, { members: undefined, ...facts }).nodes.flatMap((node) => node.refusals);
  const one = (more: Partial<NodeFacts>) => ({ nodes: [{ name: 'node01', etcd: 'none' as const, ...more }] });
  assert.deepEqual(refusals(reset, { ...one({}), callerRoles: ['os:operator'] }), [
    'refuses: reset needs the role os:admin, and this context has os:operator',
  ]);
  assert.deepEqual(refusals(reboot, { ...one({}), callerRoles: ['os:operator'] }), []);
  assert.deepEqual(refusals(reboot, one({ mode: 'container' })), [
    'refuses: reboot is not supported in container mode',
  ]);
  const kept = { mode: 'container', systems: 'kept' } as const;
  const chosen = { mode: 'container', systems: 'chosen' } as const;
  assert.deepEqual(refusals(reboot, one(kept)), ['refuses: reboot is not supported in container mode']);
  assert.deepEqual(refusals(reboot, one(chosen)), []);
  assert.deepEqual(refusals({ kind: 'shutdown' }, one(chosen)), [
    'refuses: shutdown is not supported in container mode',
  ]);
  assert.deepEqual(refusals(reset, one({ stage: 'rebooting' })), [
    'refuses: it is busy with another sequence (rebooting)',
  ]);
  assert.deepEqual(refusals(reboot, one({ stage: 'rebooting' })), []);
  assert.deepEqual(refusals({ kind: 'shutdown' }, one({ stage: 'resetting' })), []);
  assert.deepEqual(refusals(reboot, one({ unreachable: 'no route to node' })), [
    'cannot be called: no route to node',
  ]);
});

test('whatIf() knows that etcd does not let its last voter go', () => {
  const { nodes } = whatIf(reset, { nodes: [onMember(1), onMember(2)], members: voters(2) });
  assert.deepEqual(
    nodes.map(({ refusals }) => refusals),
    [
      [],
      [
        'refuses to leave etcd: removing cp-2 would leave no voter: it is the last one of the cluster (--no-graceful resets it anyway)',
      ],
    ],
  );
  const ungraceful = whatIf({ ...reset, isGraceful: false }, { nodes: [onMember(1)], members: voters(1) });
  assert.deepEqual(ungraceful.nodes[0]?.refusals, []);
});

test('a service concerns etcd only when it is etcd that stops', () => {
  const facts = { nodes: [onMember(1, { services: ['apid', 'etcd'] })], members: voters(3) };
  const effect = (id: string, verb: 'start' | 'stop' | 'restart') => {
    const found = whatIf({ kind: 'service', id, verb }, facts);
    return [...effectLines(found), ...stopLines(found), found.losesVote];
  };
  assert.deepEqual(effect('apid', 'restart'), [
    'node01 restarts its service apid',
    'node01 stops apid',
    false,
  ]);
  assert.deepEqual(effect('etcd', 'stop'), [
    ...[
      'node01 stops its service etcd',
      '  this takes away 1 etcd voter, 2 of 3 remain',
      'node01 stops etcd',
    ],
    true,
  ]);
  assert.deepEqual(effect('etcd', 'start').at(-1), false);
});

test('effectLines() quotes names that are no plain text', () => {
  const facts = {
    nodes: [{ name: 'a\u202eb', etcd: 'none' as const, services: ['\u001b[2J'] }],
    members: undefined,
  };
  const effect = whatIf(reboot, facts);
  const text = [...effectLines(effect), ...stopLines(effect)].join('\n');
  assert.match(text, /^"a\\u202eb" reboots$/m);
  assert.match(text, /stops "\\u001b\[2J"$/m);
});
