import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerMessage } from '../../protocol/messages.ts';
import { keyOf, type PageSubscription } from '../../protocol/subscription.ts';
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
  const stream = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const serve = async (path: string, init?: RequestInit) => {
    if (path === '/api/stream') return new Response(new ReadableStream({ start: stream.resolve }));
    posted.push(JSON.parse(String(init?.body)) as PageSubscription[]);
    return new Response('{}');
  };
  Object.assign(globalThis, { fetch: serve, window });
  const store = new Store();
  store.connect('secret');
  return {
    ...{ store, posted },
    async send(message: ServerMessage) {
      (await stream.promise).enqueue(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
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
