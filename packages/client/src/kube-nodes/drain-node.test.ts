import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { drainNode, drainTimes } from './drain-node.ts';
import { openKubeNodes } from './kube-nodes.ts';
import { objectMaker } from './testing/kube-nodes-conformance.ts';
import { createMemoryApiServer } from './testing/memory-api-server.ts';

/** A clock on which every pause ends at once. */
function quickTimers(onPause: () => Promise<void> | void): Timers {
  let nowMs = 0;
  return {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, action) {
      let isOn = true;
      void (async () => {
        await turn();
        nowMs += delayMs;
        await onPause();
        if (isOn) action();
      })();
      return {
        [Symbol.dispose]: () => {
          isOn = false;
        },
      };
    },
  };
}

async function openNode() {
  const server = createMemoryApiServer();
  const make = objectMaker(() => server.api);
  await make.node('a');
  const said: string[] = [];
  const stop = new AbortController();
  let onPause: () => Promise<void> | void = () => {};
  const timers = quickTimers(() => onPause());
  const nodes = openKubeNodes({ api: server.api, signal: stop.signal });
  const names = async () => (await nodes.podsOn('a')).map(({ metadata }) => metadata?.name).sort();
  /** A kubelet: it removes the pods that are ending. */
  const removeEnding = async () => {
    for (const { metadata } of await nodes.podsOn('a'))
      if (metadata?.deletionTimestamp !== undefined) await make.removePod(metadata.name ?? '');
  };
  return {
    ...{ server, make, said, names, stop, timers, removeEnding },
    onPause: (action: () => Promise<void> | void) => {
      onPause = action;
    },
    drain: () =>
      drainNode({
        ...{ node: 'a', nodes, timers, signal: stop.signal },
        report: (text) => void said.push(text),
      }),
  };
}

test('drainNode() evicts pods of controllers, and leaves those of DaemonSets, without controller, and static ones', async () => {
  const node = await openNode();
  await node.make.pod('web', 'a');
  await node.make.pod('proxy', 'a', { owner: 'DaemonSet' });
  await node.make.pod('alone', 'a', { owner: '' });
  await node.make.pod('elsewhere', 'b');
  const annotations = { 'kubernetes.io/config.mirror': 'x' };
  await node.make.pod('static', 'a', { owner: 'Node', annotations });
  node.onPause(node.removeEnding);
  await node.drain();
  assert.deepEqual(await node.names(), ['alone', 'proxy', 'static']);
  assert.deepEqual(node.said, ['evicted default/web']);
});

test('drainNode() waits for a budget, and goes on when it allows the eviction', async () => {
  const node = await openNode();
  const labels = { app: 'web' };
  await node.make.pod('web', 'a', { labels });
  await node.make.budget('web', labels, 1);
  node.onPause(async () => {
    await node.removeEnding();
    if (node.timers.now() > 20_000) await node.make.pod('web-2', 'b', { labels });
  });
  await node.drain();
  assert.deepEqual(await node.names(), []);
  assert.match(node.said[0] ?? '', /^cannot evict default\/web yet: Cannot evict pod as it would violate/);
  assert.equal(node.said.at(-1), 'evicted default/web');
});

test('drainNode() ends after five minutes with the pods that a budget keeps', async () => {
  const node = await openNode();
  const labels = { app: 'web' };
  await node.make.pod('web', 'a', { labels });
  await node.make.pod('other', 'a');
  await node.make.budget('web', labels, 1);
  node.onPause(node.removeEnding);
  await assert.rejects(node.drain(), {
    kind: 'deadline-exceeded',
    message: /^node a is not drained after 300 s: default\/web \(Cannot evict pod as it would violate .*\)$/,
  });
  assert.deepEqual(await node.names(), ['web']);
  assert.equal(node.timers.now(), drainTimes.totalMs);
  // Every five seconds, rounded up to the period of the look at the pods.
  const attempts = node.said.filter((text) => text.startsWith('cannot evict')).length;
  assert.ok(attempts > 40 && attempts <= 60, `${attempts} attempts`);
});

test('drainNode() ends after five minutes with the pods that do not end', async () => {
  const node = await openNode();
  await node.make.pod('web', 'a');
  await assert.rejects(node.drain(), {
    kind: 'deadline-exceeded',
    message: 'node a is not drained after 300 s: default/web (it does not end)',
  });
  assert.equal(node.timers.now(), drainTimes.totalMs);
});

test('drainNode() goes on after an API server that was away, and ends with its error when it stays away', async () => {
  const node = await openNode();
  await node.make.pod('web', 'a');
  node.server.failure = new Fault('unavailable', 'https://a does not answer');
  node.onPause(async () => {
    if (node.timers.now() > 10_000) node.server.failure = undefined;
    if (node.server.failure === undefined) await node.removeEnding();
  });
  await node.drain();
  node.server.failure = new Fault('unavailable', 'https://a does not answer');
  node.onPause(() => {});
  await assert.rejects(node.drain(), {
    message: 'node a is not drained after 300 s: https://a does not answer',
  });
});

test('drainNode() ends with its signal, and evicts nothing after that', async () => {
  const node = await openNode();
  await node.make.pod('web', 'a');
  node.stop.abort();
  const fault = await node.drain().then(
    () => assert.fail('it was cancelled'),
    (error) => faultFrom(error),
  );
  assert.equal(fault.kind, 'cancelled');
  assert.deepEqual(await node.said, []);
});

test('drainNode() waits for a pod that takes more than a minute to end', async () => {
  const node = await openNode();
  await node.make.pod('slow', 'a');
  let pauses = 0;
  node.onPause(async () => {
    pauses += 1;
    // Each pause is three seconds.
    if (pauses > 30) await node.removeEnding();
  });
  await node.drain();
  assert.deepEqual(await node.names(), []);
});
