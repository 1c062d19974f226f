// What people ask of roll-outs, against a real etcd.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import { Fault } from '@nodewright/fault';
import { createEtcdPlanStore, type NodeFacts, type RolloutPlan, rolloutPlanKey } from '@nodewright/rollout';
import { type ClusterNode, clusterFacts } from '../domain/cluster-nodes.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import { RequestedRollouts } from './requested-rollouts.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const never = new AbortController().signal;
const etcd = skip === false ? scope.use(await startEtcdCluster()) : undefined;
const wanted = {
  ...{ image: 'registry.test/installer:v2', allowsDowngrade: false, dropsExtensions: false },
  ...{ maxUnavailable: 0, pauseAfter: 0 },
};
const nodes: ClusterNode[] = [
  { name: 'node01', role: 'control-plane', address: '10.0.0.1' },
  { name: 'node02', role: 'worker', address: '10.0.0.2' },
];

async function open() {
  if (etcd === undefined) throw new Fault('internal', 'no etcd');
  const client = etcd.client();
  await client.delete(rolloutPlanKey);
  const store = createEtcdPlanStore(client);
  const world = {
    illness: undefined as string | undefined,
    lacks: undefined as string | undefined,
    pulls: 0,
  };
  const stop = new AbortController();
  const rollouts = new RequestedRollouts({
    ...{ store, nodes: async () => nodes, timers: systemTimers, stopSignal: stop.signal },
    randomId: () => String(Math.random()).slice(2).padEnd(32, '0').slice(0, 32),
    async pull(image) {
      world.pulls += 1;
      return `${image}@sha256:1`;
    },
    cluster: {
      // Nobody answers.
      look: async () => new Map(),
      async preview() {
        const { illness, lacks } = world;
        const report = {
          lacks,
          role: undefined,
          action: { kind: 'not-begun' } as NodeFacts['action'],
          illness,
        };
        const reports = new Map(
          nodes.map(({ name }) => [
            name,
            name === 'node02' ? report : { ...report, illness: undefined, lacks: undefined },
          ]),
        );
        return clusterFacts(nodes, reports, { common: undefined, byName: new Map(), names: [] });
      },
    },
  });
  return { client, store, rollouts, world, stop };
}

test('a dry run says what each node does and what refuses it, and writes nothing', { skip }, async () => {
  const { rollouts, world, store } = await open();
  world.illness = 'it is not ready';
  const { rows } = await rollouts.preview({ ...wanted, pauseAfter: 1 }, never);
  assert.deepEqual(
    rows.map(({ name, maxUnavailable, pausesAfter, refusedBy }) => [
      name,
      maxUnavailable,
      pausesAfter,
      refusedBy,
    ]),
    [
      ['node01', 1, true, 'node02 is not well (it is not ready)'],
      ['node02', 1, false, 'node02 is not well (it is not ready)'],
    ],
  );
  assert.equal(await store.read(never), undefined);
  assert.equal(world.pulls, 0);
});

test('a roll-out whose first node may not begin is refused with what to do, and is not in etcd', {
  skip,
}, async () => {
  const { rollouts, world } = await open();
  world.illness = 'it is not ready';
  await assert.rejects(rollouts.start(wanted, never), {
    kind: 'failed-precondition',
    message:
      'the roll-out does not begin: node01 may not: node02 is not well (it is not ready): mend that first; --dry-run shows all nodes',
  });
  assert.equal(await rollouts.status(never), undefined);
});

test('a roll-out of which a later node cannot have the artefact is refused before any node is upgraded', {
  skip,
}, async () => {
  const { rollouts, world } = await open();
  world.lacks = 'this node has no artefact';
  await assert.rejects(rollouts.start(wanted, never), {
    kind: 'failed-precondition',
    message:
      'the roll-out does not begin: node02 cannot act: this node has no artefact: mend that first; --dry-run shows all nodes',
  });
  const { rows } = await rollouts.preview(wanted, never);
  assert.deepEqual(
    rows.map(({ refusedBy }) => refusedBy),
    [undefined, 'this node has no artefact'],
  );
});

test('of two operators at once one begins, and the other is refused with what to do', { skip }, async () => {
  const { rollouts } = await open();
  const results = await Promise.allSettled([rollouts.start(wanted, never), rollouts.start(wanted, never)]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await assert.rejects(rollouts.start(wanted, never), (error: Fault) => {
    assert.equal(error.kind, 'failed-precondition');
    assert.match(
      error.message,
      /another roll-out is running \(upgrade to registry\.test\/installer:v2@sha256:1\)/,
    );
    assert.match(error.message, /talosctl upgrade status --watch.*talosctl upgrade abort/);
    return true;
  });
  assert.match((await rollouts.problem(never)) ?? '', /^the roll-out [0-9a-f]{32} upgrades all nodes: /);
});

test('a plan is paused, resumed and aborted, and an upgrade of one node is refused only while it runs', {
  skip,
}, async () => {
  const { rollouts, store, client } = await open();
  const begun = await rollouts.start(wanted, never);
  await assert.rejects(rollouts.request('abort', 'f'.repeat(32), never), /another roll-out/);
  const stored = await store.read(never);
  const paused: RolloutPlan = { ...begun, phase: 'paused', reason: 'paused by request' };
  await client.put(rolloutPlanKey, Buffer.from(JSON.stringify({ format: 1, ...paused })));
  assert.notEqual(stored, undefined);
  assert.equal(await rollouts.problem(never), undefined);
  await assert.rejects(rollouts.start(wanted, never), /another roll-out is paused/);
  assert.equal((await rollouts.request('resume', begun.id, never))?.phase, 'running');
  assert.equal((await rollouts.request('abort', '', never))?.phase, 'aborted');
  assert.equal(await rollouts.problem(never), undefined);
  await assert.rejects(rollouts.request('resume', '', never), /aborted already/);
});

test('a plan whose node does not answer keeps others away until it is aborted a second time, and says so', {
  skip,
}, async () => {
  const { rollouts, client } = await open();
  const begun = await rollouts.start(wanted, never);
  const nodes = begun.nodes.map((node, index) =>
    index === 0 ? { ...node, progress: { state: 'acting', spentMs: 0 } } : node,
  );
  await client.put(rolloutPlanKey, Buffer.from(JSON.stringify({ format: 1, ...begun, nodes })));
  await rollouts.request('abort', begun.id, never);
  await rollouts.request('abort', begun.id, never);
  await assert.rejects(
    rollouts.start(wanted, never),
    /roll-out is aborted \(.*\), and not over yet: node01 acts: /,
  );
  assert.notEqual(await rollouts.problem(never), undefined);
  const looked = { ...begun, nodes, phase: 'aborted', waitsFor: 'node01 does not answer' };
  await client.put(rolloutPlanKey, Buffer.from(JSON.stringify({ format: 1, ...looked })));
  await assert.rejects(rollouts.start(wanted, never), /not over yet: node01 does not answer: /);
  await rollouts.request('abort', begun.id, never);
  assert.equal(await rollouts.problem(never), undefined);
  assert.equal((await rollouts.start(wanted, never)).phase, 'running');
});

test('a plan that was tampered with is acted on by nobody, and an abort removes it', { skip }, async () => {
  const { rollouts, client } = await open();
  const begun = await rollouts.start(wanted, never);
  const acting = { state: 'acting', spentMs: 0 };
  // A worker that has given itself its turn before the control planes are done.
  const tampered = {
    ...begun,
    nodes: begun.nodes.map((node) => (node.role === 'worker' ? { ...node, progress: acting } : node)),
  };
  await client.put(rolloutPlanKey, Buffer.from(JSON.stringify({ format: 1, ...tampered })));
  await assert.rejects(rollouts.status(never), /not valid: a worker has begun before .*abort/);
  await assert.rejects(rollouts.start(wanted, never), /not valid/);
  await assert.rejects(rollouts.request('resume', '', never), /not valid/);
  assert.equal(await rollouts.request('abort', '', never), undefined);
  assert.equal(await rollouts.status(never), undefined);
});

test('a client follows the changes until the plan is settled; too many are refused', { skip }, async () => {
  const { rollouts, stop } = await open();
  await rollouts.start(wanted, never);
  const streams = Array.from({ length: rolloutLimits.watchers }, () => rollouts.watch(never));
  for (const stream of streams) assert.equal((await stream.next()).value?.phase, 'running');
  await assert.rejects(rollouts.watch(never).next(), { kind: 'resource-exhausted' });
  const [first, second, ...others] = streams;
  for (const stream of others) await stream.return(undefined);
  await rollouts.request('abort', '', never);
  const phases = [];
  for await (const plan of first ?? []) phases.push(plan?.phase);
  assert.deepEqual(phases, ['aborted']);
  stop.abort();
  await assert.rejects(second?.next() ?? Promise.resolve(), { kind: 'unavailable' });
  await second?.return(undefined);
});

test('the roll-out tells when it began, and a begin that belongs to another one is not its own', {
  skip,
}, async () => {
  const { client, rollouts } = await open();
  const beforeMs = Date.now();
  const { id } = await rollouts.start(wanted, never);
  const shown = (await rollouts.status(never)) ?? assert.fail('no roll-out');
  assert.equal(shown.id, id);
  assert.ok((shown.startedMs ?? 0) >= beforeMs && (shown.startedMs ?? 0) <= Date.now());
  // It is no part of the plan, which nodes of older versions read.
  assert.equal(
    await rollouts.request('resume', id, never).then((plan) => plan && 'startedMs' in plan),
    false,
  );
  await client.put(`${rolloutPlanKey}-begun`, `${'0'.repeat(32)} ${beforeMs}`);
  assert.equal((await rollouts.status(never))?.startedMs, undefined);
  await rollouts.request('abort', id, never);
});
