import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckState, EtcdMember, HealthResult, NodeSummary, Reach } from '../../protocol/messages.ts';
import { byTrouble, judge } from './judge.ts';
import { emptySnapshot, type Snapshot } from './snapshot.ts';

const nowMs = 100_000;
const here: Reach = { kind: 'here' };
const away: Reach = { kind: 'away', sinceMs: nowMs - 8000, message: 'no route' };
const summary = (name: string, reach: Reach, rest: Partial<NodeSummary> = {}): NodeSummary => ({
  ...{ name, reach, isReady: true, version: 'v1.14.0', services: ['etcd'], troubles: [] },
  ...(reach.kind === 'here' && { etcd: member(name) }),
  ...rest,
});
const member = (id: string, rest: Partial<EtcdMember> = {}): EtcdMember => ({
  ...{ id, leader: 'a', term: 2, raftIndex: 7, appliedIndex: 7, dbBytes: 1, usedBytes: 1 },
  ...{ isLearner: false, version: '3.6', errors: [], alarms: [], ...rest },
});
const passed: CheckState = { name: 'etcd to be healthy', state: 'passed', sinceMs: nowMs - 60_000 };
const checked = (rest: Partial<HealthResult> = {}): HealthResult => ({
  ...{ checks: [passed], ofNodes: 3, atMs: nowMs - 7000, ...rest },
});
const cluster = (nodes: readonly NodeSummary[], rest: Partial<Snapshot> = {}): Snapshot => ({
  ...{ ...emptySnapshot, isLive: true, number: 4, nodesNumber: 3, health: checked() },
  names: nodes.map(({ name }) => name),
  summaries: new Map(nodes.map((each) => [each.name, each])),
  ...rest,
});
const statements = (snapshot: Snapshot) => {
  const { reach, condition, health, version, cluster: whole } = judge(snapshot, nowMs);
  return [reach, condition, health, version, whole].map((each) => [each.value, each.note, each.condition]);
};

test('a cluster of which all is known to be well is well', () => {
  assert.deepEqual(statements(cluster([summary('a', here), summary('b', here)])), [
    ['2 of 2', 'all answer', 'good'],
    ['well', 'no service complains', 'good'],
    ['healthy', '1 check passed 7s ago', 'good'],
    ['v1.14.0', 'the same everywhere', 'unknown'],
    ['all is well', '1 check passed 7s ago', 'good'],
  ]);
});

test('a node that is away is in every statement, and checks that began before are old', () => {
  const snapshot = cluster([summary('a', here), summary('b', away)], { health: checked({ ofNodes: 2 }) });
  assert.deepEqual(statements(snapshot), [
    ['1 of 2', '1 node away: b', 'bad'],
    ['1 node', 'away: b', 'bad'],
    ['not healthy', 'checking again, last result 7s ago', 'bad'],
    ['v1.14.0', 'of 1 node', 'unknown'],
    ['1 node away: b', '1 node away: b', 'bad'],
  ]);
  const { checks, nodes, etcd } = judge(snapshot, nowMs);
  assert.deepEqual(
    checks.map(({ condition, word }) => [condition, word]),
    [['unknown', 'passed 7s ago']],
  );
  assert.deepEqual(
    nodes.map(({ word, reasons }) => [word, ...reasons]),
    [['ready'], ['away', 'away for 8s, failed: no route']],
  );
  assert.deepEqual(
    etcd.members.map(({ role }) => role),
    ['leader', 'away'],
  );
});

test('a member of etcd is red, silent or not known yet in the table and in the statement about the cluster alike', () => {
  const of = (rest: Partial<NodeSummary>) => {
    const { etcd, cluster: whole } = judge(
      cluster([summary('a', here), summary('b', here, { etcd: undefined, ...rest })]),
      nowMs,
    );
    const [, b] = etcd.members;
    return [b?.role, b?.condition, etcd.leader, whole.value, whole.condition];
  };
  assert.deepEqual(of({ etcd: member('b') }), ['follower', 'good', 'a', 'all is well', 'good']);
  assert.deepEqual(of({}), ['not known', 'unknown', 'a', 'etcd: not known yet', 'unknown']);
  const silent = of({ isEtcdSilent: true });
  assert.deepEqual(silent, ['no answer', 'warning', 'a', 'etcd: no answer from b', 'warning']);
  const full = of({ etcd: member('b', { alarms: ['NOSPACE'] }) });
  assert.deepEqual(full, ['follower', 'bad', 'a', 'etcd: NOSPACE on b', 'bad']);
});

test('a cluster whose nodes have no etcd is judged without it', () => {
  const worker = { services: ['apid'], etcd: undefined };
  const { etcd, cluster: whole } = judge(cluster([summary('a', here, worker)]), nowMs);
  assert.deepEqual([etcd.members, etcd.statement, whole.value], [[], undefined, 'all is well']);
});

test('a cluster that has not answered, or whose page is not connected, is not known to be well', () => {
  const silent = cluster([summary('a', { kind: 'connecting' })]);
  const { health: _, ...unchecked } = silent;
  assert.deepEqual(statements(unchecked)[4], ['1 node not known yet', '1 node not known yet', 'unknown']);
  const alone = cluster([summary('a', here)], { isLive: false });
  for (const [, , condition] of statements(alone)) assert.equal(condition, 'unknown');
});

test('checks that cannot be run, or have not ended for long, say nothing about now', () => {
  const of = (rest: Partial<HealthResult>) =>
    statements(cluster([summary('a', here)], { health: checked(rest) }))[2];
  assert.deepEqual(of({ problem: 'no route' }), ['not known', 'no route', 'unknown']);
  assert.deepEqual(of({ atMs: nowMs - 60_000 }), ['checking …', 'last result 1m ago', 'unknown']);
});

test('many nodes are in the order of their trouble, then of their names', () => {
  const reaches: readonly [string, Reach, Partial<NodeSummary>?][] = [
    ['a', here],
    ['b', { kind: 'connecting' }],
    ['c', here, { isReady: false }],
    ['e', away],
    ['d', away],
  ];
  const { nodes } = judge(cluster(reaches.map(([name, reach, rest]) => summary(name, reach, rest))), nowMs);
  assert.deepEqual(
    nodes.toSorted(byTrouble).map(({ name }) => name),
    ['d', 'e', 'c', 'b', 'a'],
  );
});
