// Random histories of a cluster, from what the program records to what all parts of the page say about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ClusterRecord, emptyRecord, withHealth, withSummaries } from '../../domain/cluster-record.ts';
import type { CheckState, NodeSummary, Reach, SnapshotChange } from '../../protocol/messages.ts';
import { type Judgement, judge } from './judge.ts';
import { judgeService } from './judge-service.ts';
import { afterChange, emptySnapshot, type Snapshot } from './snapshot.ts';

const names = ['a', 'b', 'c', 'd'];
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

type Step =
  | { readonly kind: 'node'; readonly at: number; readonly change: NodeChange }
  | { readonly kind: 'begin' }
  | { readonly kind: 'end'; readonly states: readonly CheckState['state'][]; readonly problem: boolean }
  | { readonly kind: 'link'; readonly isLive: boolean }
  | { readonly kind: 'wait'; readonly ms: number };
type NodeChange = 'here' | 'dead' | 'unready' | 'alarm' | 'figures' | 'silent' | 'mute' | 'unasked';

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('node' as const),
      at: fc.nat(names.length - 1),
      change: fc.constantFrom<NodeChange>(
        'here',
        'here',
        'here',
        'dead',
        'unready',
        'alarm',
        'figures',
        'silent',
        'mute',
        'unasked',
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('begin' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      states: fc.array(
        fc.constantFrom<CheckState['state']>('passed', 'passed', 'passed', 'failed', 'skipped'),
        {
          maxLength: 3,
        },
      ),
      problem: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), isLive: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(60_000) }) },
);

const base = (name: string): NodeSummary => ({
  ...{ name, role: 'controlplane', version: 'v1.14.0', stage: 'running', isReady: true },
  reach: { kind: 'connecting' },
  services: ['apid', 'etcd'],
  troubles: [],
});
const member = (name: string) => ({
  ...{ id: name, leader: 'a', term: 2, raftIndex: 7, appliedIndex: 7, dbBytes: 1, usedBytes: 1 },
  ...{ isLearner: false, version: '3.6', errors: [], alarms: [] },
});

function changed(before: NodeSummary, change: NodeChange, nowMs: number): NodeSummary {
  const here: Reach = { kind: 'here' };
  const sinceMs = before.reach.kind === 'away' ? before.reach.sinceMs : nowMs;
  switch (change) {
    case 'here':
      return { ...base(before.name), reach: here, etcd: member(before.name) };
    case 'dead':
      // As the program reports it: what the node said last is still there.
      return { ...before, reach: { kind: 'away', sinceMs, message: `no route, try ${nowMs}` } };
    case 'unready':
      return { ...before, reach: here, isReady: false };
    case 'alarm':
      return { ...before, reach: here, troubles: [{ name: 'etcd', reason: 'NOSPACE' }] };
    case 'figures':
      return { ...before, memory: { usedBytes: nowMs, totalBytes: 2 * nowMs } };
    case 'silent':
      return { ...before, reach: here, isReady: undefined };
    case 'mute':
      return { ...before, reach: here, etcd: undefined, isEtcdSilent: true };
    case 'unasked':
      return { ...before, reach: here, etcd: undefined, isEtcdSilent: undefined };
  }
}

/** A cluster that is well, with which each history begins. */
const wellCluster: readonly Step[] = [
  ...names.map((_, at) => ({ kind: 'node', at, change: 'here' }) as const),
  { kind: 'begin' },
  { kind: 'end', states: ['passed'], problem: false },
];

/** Words that call something well. `not well` does not. */
const praise = /(?<!not )\b(well|healthy)\b/;

/** All that the page says about the cluster, as one text, without the names of checks. */
function saidBy(judgement: Judgement): string {
  const { reach, condition, health, cluster, version, nodes, checks, etcd } = judgement;
  const statements = [reach, condition, health, cluster, version].flatMap(({ value, note }) => [value, note]);
  const dead = nodes.filter((node) => node.condition === 'bad');
  const service = {
    id: 'etcd',
    state: 'Running',
    health: 'healthy',
    message: '',
    isWell: true,
    events: [],
  } as const;
  const services = dead
    .map((node) => judgeService(service, node))
    .filter(({ condition: of }) => of === 'good');
  return [
    ...statements,
    ...nodes.flatMap(({ word, reasons }) => [word, ...reasons]),
    ...checks.map(({ word }) => word),
    ...etcd.members.map(({ role }) => role),
    ...services.map(({ title }) => title),
  ].join('\n');
}

const check = (state: CheckState['state'], at: number, sinceMs: number): CheckState => ({
  ...{ name: `check ${at}`, state, sinceMs },
});

test(`in 1,000 random histories no part says well while a node is dead, and an old result is grey with its age (SEED=${seed})`, (t) => {
  t.diagnostic(`SEED=${seed}`);
  const met = { dead: 0, old: 0, well: 0, unwellEtcd: 0, restarts: 0 };
  const run = (steps: readonly Step[]) => {
    let nowMs = 1_000_000;
    let record: ClusterRecord = emptyRecord;
    let page: Snapshot = { ...emptySnapshot, names, isLive: true };
    let ofNodes = 0;
    for (const each of [...wellCluster, ...steps]) {
      const before = record;
      let nodes: readonly NodeSummary[] = [];
      if (each.kind === 'wait') nowMs += each.ms;
      if (each.kind === 'link') page = { ...page, isLive: each.isLive };
      if (each.kind === 'begin') ofNodes = record.nodesNumber;
      if (each.kind === 'end') {
        const checks = each.states.map((state, at) => check(state, at, nowMs));
        const problem = each.problem ? 'no node answers' : undefined;
        record = withHealth(record, { checks, problem, ofNodes, atMs: nowMs });
      }
      if (each.kind === 'node') {
        const name = names[each.at] as string;
        const known = record.summaries.get(name) ?? base(name);
        nodes = [changed(known, each.change, nowMs)];
        record = withSummaries(record, nodes, nowMs);
        const [now] = nodes;
        // A change of the reach starts the checks; new figures do not.
        if (now?.reach.kind !== known.reach.kind) assert.notEqual(record.nodesNumber, before.nodesNumber);
        if (each.change === 'figures' && before.summaries.has(name))
          assert.equal(record.number, before.number);
        if (record.nodesNumber !== before.nodesNumber) met.restarts += 1;
      }
      const { number, nodesNumber, health, outages } = record;
      const message = { kind: 'snapshot', number, nodesNumber, nodes, health, outages };
      page = afterChange(page, JSON.parse(JSON.stringify(message)) as SnapshotChange);
      look(judge(page, nowMs), page, nowMs);
    }
  };
  const look = (judgement: Judgement, page: Snapshot, nowMs: number) => {
    assert.equal(judgement.number, page.number);
    const dead = [...page.summaries.values()].filter(({ reach }) => reach.kind === 'away');
    const said = saidBy(judgement);
    if (dead.length > 0) {
      met.dead += 1;
      assert.doesNotMatch(said, praise);
      for (const { condition } of [judgement.reach, judgement.condition, judgement.health, judgement.cluster])
        assert.equal(condition, page.isLive ? 'bad' : 'unknown');
      const open = page.outages.filter(({ kind, toMs }) => kind === 'node' && toMs === undefined);
      assert.deepEqual(open.map(({ name }) => name).sort(), dead.map(({ name }) => name).sort());
    }
    if (praise.test(said)) met.well += 1;
    if (judgement.etcd.members.some(({ condition }) => condition !== 'good')) {
      met.unwellEtcd += 1;
      assert.notEqual(judgement.cluster.condition, 'good');
    }
    assert.ok(page.outages.length <= 200);
    const { health, nodesNumber } = page;
    if (
      health === undefined ||
      (health.ofNodes === nodesNumber && page.isLive && health.problem === undefined)
    )
      return;
    met.old += 1;
    assert.notEqual(judgement.health.condition, 'good');
    const seconds = Math.floor((nowMs - health.atMs) / 1000);
    for (const { condition, isOld, word } of judgement.checks) {
      assert.deepEqual([condition, isOld], ['unknown', true]);
      assert.match(word, seconds < 60 ? new RegExp(`\\b${seconds}s ago$`) : /\d+m( \d+s)? ago$|\d+h.* ago$/);
    }
  };
  fc.assert(fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), run), { seed, numRuns: 1000 });
  t.diagnostic(JSON.stringify(met));
  for (const [what, count] of Object.entries(met))
    assert.ok(count > 100, `${what}: ${count} in all histories`);
});
