import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeSummary } from '../../protocol/messages.ts';
import type { RolloutPlan, RolloutState, RolloutTurn } from '../../protocol/rollout.ts';
import { judge } from './judge.ts';
import { emptySnapshot, type Snapshot } from './snapshot.ts';

const nowMs = 10_000_000;
const names = ['node01', 'node02', 'node03'];
const stepNames = ['quorum', 'turn', 'cordon', 'drain', 'write', 'reboot', 'check', 'confirm', 'uncordon'];
const stepsAt = (current: string, state = 'running', reason = '') =>
  stepNames.map((name) => {
    const distance = stepNames.indexOf(name) - stepNames.indexOf(current);
    const other = distance < 0 ? 'done' : 'pending';
    return { name, state: distance === 0 ? state : other, reason: distance === 0 ? reason : '' };
  });
const turn = (name: string, state: string, rest: Partial<RolloutTurn> = {}): RolloutTurn => ({
  ...{ name, role: 'control plane', attempt: 1, state, reason: '', spentMs: 0, steps: [], ...rest },
});
const planOf = (turns: readonly RolloutTurn[], rest: Partial<RolloutPlan> = {}): RolloutPlan => ({
  ...{ id: 'a'.repeat(32), action: 'upgrade to v2', phase: 'running', reason: '', waitsFor: '' },
  ...{ isSettled: false, maxUnavailable: 1, pauseAfter: 0, driver: 'node01', startedMs: nowMs - 60_000 },
  ...{ turns, nodeCount: turns.length, ...rest },
});
const here = (name: string): NodeSummary => ({
  ...{ name, reach: { kind: 'here' }, isReady: true, version: 'v1.14.0', services: ['apid'], troubles: [] },
});
const away = (name: string, forMs: number): NodeSummary => ({
  ...{ ...here(name), reach: { kind: 'away', sinceMs: nowMs - forMs, message: 'no route' } },
});

function cluster(rollout: RolloutState | undefined, ...changed: readonly NodeSummary[]): Snapshot {
  const summaries = new Map([...names.map(here), ...changed].map((each) => [each.name, each]));
  const health = {
    checks: [{ name: 'all', state: 'passed', sinceMs: 0 } as const],
    ...{ ofNodes: 1, atMs: nowMs - 1000 },
  };
  const known = { ...emptySnapshot, isLive: true, number: 2, nodesNumber: 1, names, summaries, health };
  return rollout === undefined ? known : { ...known, rollout };
}
const said = (snapshot: Snapshot) => {
  const { cluster: whole, rollout } = judge(snapshot, nowMs);
  return [whole.value, whole.condition, rollout.isShown];
};
const acting = (current: string) =>
  planOf([
    turn('node01', 'done'),
    turn('node02', 'acting', { steps: stepsAt(current) }),
    turn('node03', 'waiting'),
  ]);

test('a program that does not follow roll-outs, and a cluster that had none, say nothing of them', () => {
  assert.deepEqual(said(cluster(undefined)), ['all is well', 'good', false]);
  assert.deepEqual(said(cluster({ plan: null })), ['all is well', 'good', false]);
  assert.equal(judge(cluster(undefined), nowMs).rollout.headline, 'not known yet');
});

test('a node that restarts in its turn is said to, and is neither well nor a fault', () => {
  const {
    cluster: whole,
    nodes,
    reach,
    health,
    etcd,
  } = judge(
    cluster({ plan: acting('reboot') }, { ...away('node02', 8000), services: ['apid', 'etcd'] }),
    nowMs,
  );
  assert.deepEqual([whole.value, whole.condition], ['node02 restarts for its upgrade', 'warning']);
  assert.deepEqual([reach.value, reach.condition], ['2 of 3', 'warning']);
  assert.deepEqual([health.value, health.condition], ['upgrade', 'warning']);
  assert.deepEqual(
    etcd.members.map(({ role, condition }) => [role, condition]),
    [['restarts', 'warning']],
  );
  assert.deepEqual(nodes[1]?.reasons, ['restarts for its upgrade', 'away for 8s, failed: no route']);
});

test('what checks miss while a node is drained, written and restarted in its turn is no fault of its own', () => {
  const failing = (plan: RolloutPlan) => {
    const known = cluster({ plan });
    const checks = [{ name: 'services to run', state: 'failed', sinceMs: nowMs - 1000 } as const];
    const { cluster: whole, checks: judged } = judge(
      { ...known, health: { checks, ofNodes: 1, atMs: nowMs } },
      nowMs,
    );
    return [whole.value, whole.condition, judged[0]?.condition];
  };
  for (const step of ['drain', 'write', 'reboot', 'confirm'])
    assert.deepEqual(failing(acting(step)), [
      ...['node02 is in its turn of the upgrade; failed: services to run', 'warning', 'warning'],
    ]);
  assert.deepEqual(failing(acting('turn')), ['health: 1 failure', 'bad', 'bad']);
});

test('a node that dies before its restart, without a turn, or is away for too long is a fault', () => {
  const bad = ['1 node away: node02', 'bad', true];
  for (const step of ['turn', 'drain', 'write', 'uncordon'])
    assert.deepEqual(said(cluster({ plan: acting(step) }, away('node02', 8000))), bad, step);
  assert.deepEqual(said(cluster({ plan: acting('reboot') }, away('node02', 900_001))), bad);
  assert.deepEqual(said(cluster({ plan: acting('reboot') }, away('node03', 8000)))[0], '1 node away: node03');
  const both = judge(cluster({ plan: acting('reboot') }, away('node02', 1), away('node03', 1)), nowMs);
  assert.deepEqual(
    [both.cluster.value, both.cluster.condition],
    ['1 node away: node03; node02 restarts for its upgrade', 'bad'],
  );
});

test('a node is found by its host name when the user names it by its address', () => {
  const summary = { ...away('10.0.0.2', 5000), hostname: 'Node02' };
  const snapshot = { ...cluster({ plan: acting('confirm') }), names: ['10.0.0.2'] };
  const { nodes, rollout } = judge({ ...snapshot, summaries: new Map([['10.0.0.2', summary]]) }, nowMs);
  assert.equal(nodes[0]?.isExpected, true);
  assert.deepEqual(
    rollout.turns.map(({ node }) => node),
    [undefined, '10.0.0.2', undefined],
  );
});

test('a roll-out that has stopped is among the troubles with its reason, and what resumes and ends it', () => {
  const failed = turn('node02', 'failed', {
    reason: 'the node is back on the system before: it was not ready',
    steps: stepsAt('confirm', 'failed', 'the node is back on the system before: it was not ready'),
  });
  const reason = `node02: ${failed.reason}`;
  const plan = planOf([turn('node01', 'done'), failed, turn('node03', 'waiting')], {
    ...{ phase: 'stopped', reason, isSettled: true },
  });
  const { cluster: whole, rollout } = judge(cluster({ plan }), nowMs);
  assert.deepEqual([whole.value, whole.condition], [`the upgrade has stopped: ${reason}`, 'bad']);
  assert.deepEqual(
    rollout.commands.map(({ words }) => words),
    ['upgrade resume', 'upgrade abort'],
  );
  const [, second, third] = rollout.turns;
  assert.deepEqual(
    [second?.word, second?.condition, second?.reasons],
    ['rolled back', 'bad', [failed.reason]],
  );
  assert.deepEqual(
    second?.stages.map(({ state }) => state),
    ['done', 'done', 'done', 'done', 'failed', 'pending'],
  );
  assert.deepEqual([third?.word, third?.isActive], ['waiting', false]);
  assert.deepEqual(said(cluster({ plan: { ...plan, phase: 'aborted' } })), ['all is well', 'good', false]);
});

test('the words follow the steps of the node, and what it waits for is said', () => {
  const of = (rest: Partial<RolloutTurn>) => {
    const { rollout } = judge(cluster({ plan: planOf([turn('node01', 'acting', rest)]) }), nowMs);
    return [rollout.turns[0]?.word, ...(rollout.turns[0]?.reasons ?? [])];
  };
  assert.deepEqual(of({}), ['gets ready']);
  assert.deepEqual(of({ stepsProblem: 'no route' }), ['gets ready', 'its steps are not known: no route']);
  assert.deepEqual(of({ steps: stepsAt('turn', 'waiting', 'node03, which has it') }), [
    ...['waits for its turn', 'waits: node03, which has it'],
  ]);
  const words = ['cordon', 'drain', 'write', 'reboot', 'check', 'confirm', 'uncordon'].map(
    (step) => of({ steps: stepsAt(step) })[0],
  );
  assert.deepEqual(words, ['drains', 'drains', 'writes', 'restarts', 'checks', 'checks', 'finishes']);
  const held = planOf([turn('node01', 'waiting')], {
    waitsFor: 'the turn of node01: node02 is not well (away)',
  });
  assert.deepEqual(judge(cluster({ plan: held }), nowMs).rollout.turns[0]?.reasons, [
    'node02 is not well (away)',
  ]);
});

test('a roll-out that pauses or is being aborted waits for somebody; one that is over is shown for a while', () => {
  const turns = names.map((name) => turn(name, 'done'));
  const paused = planOf([turn('node01', 'done'), turn('node02', 'waiting')], {
    ...{ phase: 'paused', reason: '1 of 2 nodes are done', isSettled: true },
  });
  assert.deepEqual(said(cluster({ plan: paused })), [
    ...['the upgrade is paused: 1 of 2 nodes are done', 'warning', true],
  ]);
  const aborted = planOf([turn('node01', 'acting')], { phase: 'aborted', reason: 'aborted by request' });
  assert.deepEqual(said(cluster({ plan: aborted })).slice(1), ['warning', true]);
  const done = planOf(turns, { phase: 'done', isSettled: true });
  assert.deepEqual(said(cluster({ plan: done })), ['all is well', 'good', false]);
  assert.deepEqual(said(cluster({ plan: done, endedMs: nowMs - 599_000 })), ['all is well', 'good', true]);
  assert.deepEqual(said(cluster({ plan: done, endedMs: nowMs - 601_000 })), ['all is well', 'good', false]);
});

test('a state that is not known now is grey with its age; what nobody may read or has is no trouble', () => {
  const problem = (kind: NonNullable<RolloutState['problem']>['kind'], message = 'why') => ({
    problem: { kind, message, sinceMs: nowMs - 20_000 },
  });
  const silent = judge(cluster({ plan: acting('write'), ...problem('silent') }), nowMs);
  assert.deepEqual(
    [silent.cluster.value, silent.cluster.condition],
    [...['the state of the upgrade is not known now', 'unknown']],
  );
  assert.equal(
    silent.rollout.problem,
    'No control plane has told the state for 20s: why. What follows was known before',
  );
  assert.equal(silent.rollout.turns[0]?.condition, 'unknown');
  for (const kind of ['unsupported', 'forbidden', 'elsewhere', 'silent'] as const) {
    assert.deepEqual(said(cluster(problem(kind))), ['all is well', 'good', false], kind);
    assert.deepEqual(judge(cluster(problem(kind)), nowMs).rollout.commands, []);
  }
  const text = 'the plan of the roll-out in etcd is not valid: "talosctl upgrade abort" removes it';
  const invalid = judge(cluster(problem('refused', text)), nowMs);
  assert.deepEqual([invalid.cluster.value, invalid.cluster.condition], [text, 'warning']);
  assert.deepEqual(
    invalid.rollout.commands.map(({ words }) => words),
    ['upgrade abort'],
  );
});
