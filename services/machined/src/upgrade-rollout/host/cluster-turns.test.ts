// A driver and the nodes that it asks, with nothing between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { systemTimers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import type { TurnServiceImplementation } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault } from '@nodewright/fault';
import { type ClusterFacts, type PlannedNode, planToBytes, type RolloutPlan } from '@nodewright/rollout';
import type { CallContext } from 'nice-grpc';
import type { ClusterNode } from '../domain/cluster-nodes.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import { createTurnService } from '../rpc/turn-service.ts';
import { type ClusterTurnsInit, createClusterTurns } from './cluster-turns.ts';
import { OwnTurns } from './own-turns.ts';

const never = new AbortController().signal;
const acting: PlannedNode = {
  ...{ name: 'node02', role: 'worker', attempt: 1, progress: { state: 'acting', spentMs: 0 } },
};
const plan: RolloutPlan = {
  ...{ id: 'a'.repeat(32), action: 'upgrade to registry.test/installer@sha256:1', maxUnavailable: 1 },
  ...{ pauseAfter: 0, limitMs: 60_000, phase: 'running', reason: '', waitsFor: '' },
  nodes: [{ name: 'node01', role: 'control-plane', attempt: 1, progress: { state: 'done' } }, acting],
};

function open(change: Partial<ClusterTurnsInit> = {}) {
  const begun: string[] = [];
  const world = {
    plan,
    nodes: [
      { name: 'node01', role: 'control-plane', address: '10.0.0.1' },
      { name: 'node02', role: 'worker', address: '10.0.0.2' },
    ] as ClusterNode[],
    illness: undefined as string | undefined,
    /** Why a node does not have an image. */
    lacks: new Map<string, string>(),
    /** Called before a node answers. */
    onCall: (_method: string) => {},
  };
  const ownTurns = new Map<string, OwnTurns>();
  const ownTurnsOf = (name: string, init: ConstructorParameters<typeof OwnTurns>[0]) => {
    const own = new OwnTurns(init);
    ownTurns.set(name, own);
    return own;
  };
  const serviceOf = ({ name, role }: ClusterNode): TurnServiceImplementation =>
    createTurnService({
      role: () => role,
      illness: async () => world.illness,
      lacks: async (image) => world.lacks.get(`${name} ${image}`),
      turns: ownTurnsOf(name, {
        ...{ hostname: () => name, role: () => role, timers: systemTimers, signal: never },
        current: () => ({ plan: undefined, waitsFor: '' }),
        grantProblem: async () => undefined,
        own: {
          ...{ refusal: undefined, pull: async (image) => image },
          begin: async ({ id }) => void begun.push(`${name} ${id.length}`),
        },
      }),
    });
  const services = new Map(world.nodes.map((node) => [node.address, serviceOf(node)]));
  const turns = createClusterTurns({
    nodes: async () => world.nodes,
    ownName: () => 'cp-of-the-driver',
    memberProblems: async () => ({ common: undefined, byName: new Map(), names: [] }),
    store: { read: async () => ({ bytes: planToBytes(world.plan), revision: 1n }) },
    timers: systemTimers,
    calls: {
      async node(address) {
        const service = services.get(address);
        if (service === undefined) throw new Fault('unavailable', `${address} is away`);
        const call = (method: keyof TurnServiceImplementation) => (request: never) => {
          world.onCall(method);
          return service[method](request, { signal: never } as CallContext);
        };
        const client = {
          ...{ progress: call('progress'), prepare: call('prepare') },
          ...{ begin: call('begin'), withdraw: call('withdraw') },
        };
        return { service: () => client } as unknown as NodeClient;
      },
      [Symbol.dispose]: () => {},
    },
    ...change,
  });
  return { turns, begun, world, services, ownTurns };
}

test('start() lets the node begin once, however often it is called', async () => {
  const { turns, begun } = open();
  await turns.start(plan, acting, never);
  await turns.start(plan, acting, never);
  assert.deepEqual(begun, ['node02 32']);
  const facts = await turns.look(plan, never);
  assert.deepEqual(facts.get('node02')?.action, { kind: 'running', reason: 'it begins' });
  assert.deepEqual(facts.get('node01')?.action, { kind: 'not-begun', reason: '' });
});

for (const [what, changed] of [
  ['is paused', { phase: 'paused', reason: 'paused by request' }],
  ['is aborted', { phase: 'aborted', reason: 'aborted by request' }],
  ['is another one', { id: 'b'.repeat(32) }],
  ['names another system', { action: 'upgrade to foreign@sha256:2' }],
  ['has another attempt', { nodes: [plan.nodes[0], { ...acting, attempt: 2 }] }],
] as const)
  test(`a plan that ${what} when the node is ready makes no node begin`, async () => {
    const { turns, begun, world } = open();
    world.onCall = () => {
      world.plan = { ...plan, ...changed } as RolloutPlan;
    };
    await turns.start(plan, acting, never);
    assert.deepEqual(begun, []);
  });

test('a turn of a node that is not in the cluster, or that shares its name, is asked of nobody', async () => {
  const { turns, begun, world } = open();
  const [first, second] = world.nodes;
  assert.ok(first !== undefined && second !== undefined);
  world.nodes = [first];
  await assert.rejects(turns.start(plan, acting, never), { kind: 'not-found' });
  world.nodes = [first, second, { ...second, address: '10.0.0.9' }];
  await assert.rejects(turns.start(plan, acting, never), /several nodes have the name node02/);
  assert.deepEqual(begun, []);
});

test('withdraw() keeps the node from its attempt, and a driver sees it', async () => {
  const { turns, begun } = open();
  await turns.withdraw(plan, acting, never);
  await turns.start(plan, acting, never);
  assert.deepEqual(begun, []);
  assert.deepEqual((await turns.look(plan, never)).get('node02')?.action, { kind: 'withdrawn' });
});

test('look() has a node that does not answer as not well, and cuts what a node says of itself', async () => {
  const { turns, world, services } = open();
  services.delete('10.0.0.1');
  world.illness = `it is ill\u001b[2J${'!'.repeat(1_000_000)}`;
  const facts = await turns.look(plan, never);
  assert.deepEqual(facts.get('node01')?.wellness, { isWell: false, reason: '10.0.0.1 is away' });
  const wellness = facts.get('node02')?.wellness;
  assert.ok(wellness?.isWell === false && wellness.reason.length <= 500, 'of limited length');
  assert.match(wellness.reason, /^it is ill \[2J!/);
});

test('while a driver looks at a plan that is carried out, nodes keep other upgrades away, and no longer', async () => {
  const { turns, ownTurns } = open();
  const holders = () => [...ownTurns.values()].map(({ holder }) => holder);
  await turns.preview(plan, never);
  assert.deepEqual(holders(), [undefined, undefined]);
  await turns.look(plan, never);
  assert.deepEqual(holders(), [plan.id, plan.id]);
  await turns.preview(plan, never);
  assert.deepEqual(holders(), [undefined, undefined]);
});

test('before a roll-out begins each node is asked whether it has the artefact, and afterwards not', async () => {
  const { turns, world } = open();
  world.lacks.set('node02 registry.test/installer@sha256:1', 'this node has no artefact');
  const lackOf = (facts: ClusterFacts) => [...facts].map(([name, { cannotAct }]) => [name, cannotAct]);
  assert.deepEqual(lackOf(await turns.preview(plan, never)), [
    ['node01', undefined],
    ['node02', 'this node has no artefact'],
  ]);
  assert.deepEqual(lackOf(await turns.look(plan, never)), [
    ['node01', undefined],
    ['node02', undefined],
  ]);
});

test('a look that does not reach the node of the driver says nothing about the others, and fails', async () => {
  const { turns, services } = open({ ownName: () => 'node01' });
  assert.equal((await turns.look(plan, never)).size, 2);
  services.delete('10.0.0.1');
  const refused = { kind: 'unavailable', message: /^node01 does not reach its own API: 10\.0\.0\.1 is away/ };
  await assert.rejects(turns.look(plan, never), refused);
  await assert.rejects(turns.preview(plan, never), refused);
});

/** Nodes that take each call and never answer. */
function silentNodes(count: number) {
  const nodes = Array.from({ length: count }, (_, index): ClusterNode => {
    return { name: `node${index}`, role: 'worker', address: `10.0.1.${index}` };
  });
  const world = { open: 0, most: 0 };
  const hang = async (_request: unknown, { signal }: { readonly signal: AbortSignal }) => {
    world.open += 1;
    world.most = Math.max(world.most, world.open);
    const end = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => {
      world.open -= 1;
      end.reject(new Fault('deadline-exceeded', 'no answer'));
    });
    return end.promise;
  };
  const client = { progress: hang, prepare: hang, begin: hang, withdraw: hang };
  const calls: ClusterTurnsInit['calls'] = {
    node: async () => ({ service: () => client }) as unknown as NodeClient,
    [Symbol.dispose]: () => {},
  };
  return { init: { nodes: async () => nodes, calls }, world };
}

test('a look at 200 nodes that never answer asks 32 at once, each for 4 s, and calls none of them well', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { init, world } = silentNodes(200);
  const { turns } = open(init);
  let facts: ClusterFacts | undefined;
  const looking = turns.look(plan, never).then((seen) => {
    facts = seen;
  });
  let spentMs = 0;
  for (; facts === undefined && spentMs < 120_000; spentMs += 1000) {
    context.mock.timers.tick(1000);
    await turnOfLoop();
  }
  await looking;
  assert.equal(world.most, 32);
  assert.equal(world.open, 0);
  // 200 nodes, 32 at once, 4 s each.
  assert.ok(spentMs <= 29_000, `${spentMs} ms`);
  assert.deepEqual(
    new Set([...(facts ?? [])].map(([, { wellness }]) => (wellness.isWell ? '' : wellness.reason))),
    new Set(['does not answer']),
  );
});

test('a node that does not answer, or gets ready for ever, holds a step of its driver for 8 s', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = silentNodes(1);
  const own = { name: 'node02', role: 'worker', address: '10.0.1.1' } as const;
  const asking = open({ ...silent.init, nodes: async () => [own] }).turns.start(plan, acting, never);
  const preparing = open({
    ...silent.init,
    nodes: async () => [own],
    calls: {
      node: async () =>
        ({
          service: () => ({
            prepare: async () => ({ ticket: Buffer.alloc(0) }),
            progress: async () => ({ state: 'preparing', reason: '' }),
          }),
        }) as unknown as NodeClient,
      [Symbol.dispose]: () => {},
    },
  }).turns.start(plan, acting, never);
  const ends: string[] = [];
  const failed = assert.rejects(asking, /no answer/).then(() => void ends.push('silent'));
  const left = preparing.then(() => void ends.push('preparing'));
  await turnOfLoop();
  for (let spentMs = 0; spentMs < rolloutLimits.prepareMs; spentMs += 250) {
    assert.deepEqual(ends, [], `after ${spentMs} ms`);
    context.mock.timers.tick(250);
    await turnOfLoop();
  }
  await Promise.all([failed, left]);
  assert.equal(silent.world.open, 0);
});
