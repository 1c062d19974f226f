import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerMessage } from '../../protocol/messages.ts';
import { keyOf, type PageSubscription } from '../../protocol/subscription.ts';
import { isOldHealth } from '../judge/judge-health.ts';
import { Store } from './store.ts';

const graph: PageSubscription = { kind: 'graph', node: 'node01' };
const kinds: PageSubscription = { kind: 'kinds', node: 'node01' };

/** The time limit of a test ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

/** The timers of a page, which keep no program alive. */
const window = { setTimeout: (body: () => void, ms: number) => setTimeout(body, ms).unref() };

/** A store that is connected to a server that does nothing, and what the server was asked to follow. */
function connectStore() {
  const posted: (readonly PageSubscription[])[] = [];
  const moves: string[] = [];
  let stream = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const serve = async (path: string, init?: RequestInit) => {
    if (path === '/api/stream') return new Response(new ReadableStream({ start: stream.resolve }));
    posted.push(JSON.parse(String(init?.body)) as PageSubscription[]);
    return new Response('{}');
  };
  Object.assign(globalThis, { fetch: serve, window });
  const store = new Store({ onMoved: () => moves.push(store.movedFrom ?? '') });
  store.connect('secret');
  return {
    ...{ store, posted, moves },
    async send(message: ServerMessage) {
      (await stream.promise).enqueue(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
    },
    /** Another tab has handed a session of the program over that serves the page now. */
    connectAgain() {
      stream = Promise.withResolvers();
      store.connect('another secret');
    },
    /** The store opens its stream again, and this time nothing answers. */
    async [Symbol.asyncDispose]() {
      const forever = () => new Promise<never>(() => {});
      Object.assign(globalThis, { fetch: forever });
      (await stream.promise).close();
    },
  };
}

test('the clean-up of a view after the next one has begun ends nothing of the next one', async () => {
  await using rig = connectStore();
  const release = rig.store.want([graph]);
  await until(() => rig.posted.length > 0);
  rig.store.want([kinds]);
  release();
  await until(() => rig.posted.length > 1);
  assert.deepEqual(rig.posted.slice(1), [[kinds]]);
});

test('what the next view wants, too, is kept, and what the server has stopped to follow is not', async () => {
  await using rig = connectStore();
  const release = rig.store.want([graph]);
  await until(() => rig.posted.length > 0);
  await rig.send({ kind: 'feed', key: keyOf(graph), event: { kind: 'graph', edges: [] } });
  await until(() => rig.store.feed(graph).graph !== undefined);
  release();
  const releaseAgain = rig.store.want([graph]);
  assert.notEqual(rig.store.feed(graph).graph, undefined);
  await until(() => rig.posted.length > 1);
  assert.deepEqual(rig.posted.at(-1), [graph]);
  assert.notEqual(rig.store.feed(graph).graph, undefined);

  releaseAgain();
  await until(() => rig.store.feed(graph).graph === undefined);
  assert.deepEqual(rig.posted.at(-1), []);
});

const log: PageSubscription = { kind: 'log', node: 'node01', log: 'machined' };
const welcome = { kind: 'welcome', program: 'v1', nodes: ['node01'], allowsActions: true } as const;
const base = { text: 'a: 1', version: '1' };

test('a tab that goes on with the program of another cluster keeps nothing of the first, and one of the same cluster keeps drafts', async () => {
  await using rig = connectStore();
  const { store } = rig;
  const release = store.want([log, graph]);
  const kept = () => [store.drafts.size, store.histories.size, store.log.lines.length, store.trials.length];
  await rig.send({ ...welcome, context: 'a', cluster: 'identity of a' });
  await rig.send({ kind: 'history', histories: { node01: [{ atMs: 1 }] } });
  const trial = { node: 'node01', state: 'tried', leftMs: 1000 } as const;
  await rig.send({ kind: 'trials', trials: [trial] });
  const lines = [{ level: 'info', text: 'a line', atMs: 1 }] as const;
  await rig.send({ kind: 'feed', key: keyOf(log), event: { kind: 'log-lines', lines, ownCount: 0 } });
  await rig.send({ kind: 'feed', key: keyOf(graph), event: { kind: 'graph', edges: [] } });
  store.drafts.set('node01', { base, text: 'a: 2' });
  await until(() => store.feed(graph).graph !== undefined);

  rig.connectAgain();
  await rig.send({ ...welcome, program: 'v2', context: 'a', cluster: 'identity of a' });
  await until(() => store.program === 'v2');
  assert.deepEqual([rig.moves, store.movedFrom, kept()], [[], undefined, [1, 1, 1, 1]]);

  rig.connectAgain();
  // A request that the user made for the first cluster is not sent to the next one.
  await assert.rejects(store.ask('reboot', { node: 'node01' }), /not connected/);
  await rig.send({ ...welcome, context: 'b', cluster: 'identity of b' });
  await until(() => store.context === 'b');
  assert.deepEqual([rig.moves, store.movedFrom, kept()], [['a'], 'a', [0, 0, 0, 0]]);
  assert.equal(store.feed(graph).graph, undefined);
  release();
});

test('ages follow the clock of the program, however wrong that of the browser is', async () => {
  await using rig = connectStore();
  const { store } = rig;
  assert.ok(
    Math.abs(store.nowMs() - Date.now()) < 1000,
    'the own clock, before the program has said the time',
  );
  for (const aheadMs of [-3_600_000, 90_000]) {
    const sent = Date.now() - aheadMs;
    await rig.send({ kind: 'tick', nowMs: sent });
    await until(() => Math.abs(store.nowMs() - sent) < 10_000);
    const health = { checks: [], ofNodes: 0, atMs: sent - 5000 };
    const snapshot = { ...store.snapshot, isLive: true };
    assert.equal(isOldHealth(snapshot, health, store.nowMs()), false);
  }
});
