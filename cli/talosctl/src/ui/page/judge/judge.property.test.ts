// Random histories of a cluster, from what the program records to what all parts of the page say about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type ClusterRecord,
  emptyRecord,
  withHealth,
  withRollout,
  withSummaries,
} from '../../domain/cluster-record.ts';
import type { CheckState, NodeSummary, Reach, SnapshotChange } from '../../protocol/messages.ts';
import type { RolloutState, RolloutTurn } from '../../protocol/rollout.ts';
import { type Judgement, judge } from './judge.ts';
import { judgeService } from './judge-service.ts';
import { afterChange, emptySnapshot, type Snapshot } from './snapshot.ts';

const names = ['a', 'b', 'c', 'd'];
const stepNames = ['quorum', 'turn', 'cordon', 'drain', 'write', 'reboot', 'check', 'confirm', 'uncordon'];
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

type Step =
  | { readonly kind: 'node'; readonly at: number; readonly change: NodeChange }
  | { readonly kind: 'begin' }
  | { readonly kind: 'end'; readonly states: readonly CheckState['state'][]; readonly problem: boolean }
  | { readonly kind: 'link'; readonly isLive: boolean }
  | { readonly kind: 'wait'; readonly ms: number }
  | ({ readonly kind: 'rollout' } & RolloutChange);
/** A roll-out in which each node has a state, and one is at a step. */
interface RolloutChange {
  readonly phase: string;
  readonly states: readonly string[];
  readonly step: number;
  readonly isSilent: boolean;
}
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
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof({ weight: 6, arbitrary: fc.nat(60_000) }, { weight: 1, arbitrary: fc.nat(1_800_000) }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('rollout' as const),
      phase: fc.constantFrom('running', 'running', 'running', 'paused', 'stopped', 'aborted', 'done'),
      states: fc.array(fc.constantFrom('waiting', 'acting', 'acting', 'acting', 'done', 'failed'), {
        minLength: names.length,
        maxLength: names.length,
      }),
      step: fc.constantFrom(0, 3, 4, 5, 5, 6, 7, 7, 8, 9),
      isSilent: fc.constantFrom(false, false, false, true),
    }),
  },
);

function rolloutOf({ phase, states, step: at, isSilent }: RolloutChange, nowMs: number): RolloutState {
  const steps = stepNames.map((name, index) => ({
    ...{ name, reason: '' },
    state: index < at ? 'done' : index === at ? 'running' : 'pending',
  }));
  const turns = names.map((name, index): RolloutTurn => {
    const state = states[index] ?? 'waiting';
    const known = state === 'acting' && at < stepNames.length ? steps : [];
    return {
      name,
      role: 'control plane',
      attempt: 1,
      state,
      reason: '',
      spentMs: nowMs % 60_000,
      steps: known,
    };
  });
  const plan = {
    ...{ id: 'a'.repeat(32), action: 'upgrade', phase, reason: '', waitsFor: '', maxUnavailable: 1 },
    ...{ pauseAfter: 0, driver: 'a', turns, nodeCount: names.length },
    isSettled: phase !== 'running' && !states.includes('acting'),
  };
  return isSilent ? { plan, problem: { kind: 'silent', message: 'no route', sinceMs: nowMs } } : { plan };
}

/** The steps at which a node may be away, as the nodes have them. */
const mayBeAway = ['reboot', 'check', 'confirm'];

/** Whether a node that is away restarts in its turn: its step says so, and a quarter of an hour has not passed. */
function restartsNow(page: Snapshot, name: string, nowMs: number): boolean {
  const reach = page.summaries.get(name)?.reach;
  const turn = page.rollout?.plan?.turns.find((each) => each.name === name);
  const step = turn?.steps.find(({ state }) => state === 'running');
  if (reach?.kind !== 'away' || turn?.state !== 'acting' || step === undefined) return false;
  return mayBeAway.includes(step.name) && nowMs - reach.sinceMs <= 900_000;
}

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
  const { reach, condition, health, cluster, version, nodes, checks, etcd, rollout } = judgement;
  const statements = [reach, condition, health, cluster, version].flatMap(({ value, note }) => [value, note]);
  const dead = nodes.filter(({ away }) => away !== undefined);
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
    ...[rollout.headline, rollout.statement?.note ?? ''],
    ...rollout.turns.flatMap(({ word, reasons }) => [word, ...reasons]),
    ...services.map(({ title }) => title),
  ].join('\n');
}

const check = (state: CheckState['state'], at: number, sinceMs: number): CheckState => ({
  ...{ name: `check ${at}`, state, sinceMs },
});

test(`in 1,000 random histories no part says well while a node is dead, and an old result is grey with its age (SEED=${seed})`, (t) => {
  t.diagnostic(`SEED=${seed}`);
  const met = {
    dead: 0,
    old: 0,
    well: 0,
    unwellEtcd: 0,
    restarts: 0,
    expected: 0,
    unexpected: 0,
    stopped: 0,
  };
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
      if (each.kind === 'rollout') {
        record = withRollout(record, rolloutOf(each, nowMs));
        // A roll-out is no reason to run the checks again, and the time that a node acts is a figure.
        assert.equal(record.nodesNumber, before.nodesNumber);
        const later = rolloutOf(each, nowMs + 1);
        if (!each.isSilent) assert.equal(withRollout(record, later).number, record.number);
      }
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
      const { number, nodesNumber, health, outages, rollout } = record;
      const message = { kind: 'snapshot', number, nodesNumber, nodes, health, outages, rollout };
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
      const expected = dead.filter(({ name }) => restartsNow(page, name, nowMs)).map(({ name }) => name);
      if (page.isLive && expected.length > 0) met.expected += 1;
      if (page.isLive && expected.length < dead.length && page.rollout !== undefined) met.unexpected += 1;
      const worst = expected.length === dead.length ? 'warning' : 'bad';
      for (const { condition } of [judgement.reach, judgement.condition, judgement.health])
        assert.equal(condition, page.isLive ? worst : 'unknown');
      const isStopped = page.rollout?.problem === undefined && page.rollout?.plan?.phase === 'stopped';
      const isRed = worst === 'bad' || isStopped || judgement.etcd.statement?.condition === 'bad';
      assert.equal(judgement.cluster.condition, page.isLive ? (isRed ? 'bad' : 'warning') : 'unknown');
      for (const { name, condition, isExpected, reasons } of judgement.nodes) {
        const is = page.isLive && expected.includes(name);
        assert.equal(isExpected, is);
        if (is) assert.deepEqual([condition, reasons[0]], ['warning', 'restarts for its upgrade']);
        const isAway = page.summaries.get(name)?.reach.kind === 'away';
        if (page.isLive && !is && isAway) assert.equal(condition, 'bad');
      }
      if (page.isLive && expected.length === 1 && dead.length === 1)
        assert.ok(judgement.reach.note.includes(`${expected[0]} restarts for its upgrade`));
      const open = page.outages.filter(({ kind, toMs }) => kind === 'node' && toMs === undefined);
      assert.deepEqual(open.map(({ name }) => name).sort(), dead.map(({ name }) => name).sort());
    }
    if (page.isLive && page.rollout?.plan?.phase === 'stopped' && page.rollout.problem === undefined) {
      met.stopped += 1;
      // Among the troubles, with what to do.
      assert.equal(judgement.cluster.condition, 'bad');
      const { words } = judgement.rollout.commands[0] ?? assert.fail('no command');
      assert.equal(words, 'upgrade resume');
      assert.equal(judgement.rollout.isShown, true);
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
