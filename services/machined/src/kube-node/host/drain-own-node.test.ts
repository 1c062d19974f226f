import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openKubeNodes } from '@nodewright/client/kube-nodes';
import { createMemoryApiServer, objectMaker } from '@nodewright/client/kube-nodes/testing';
import { FakeTimers } from '@nodewright/controllers/testing';
import { MemoryState, pointerTo, putResource } from '@nodewright/state';
import { nodenames, nodeStatuses } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { drainOwnNode } from './drain-own-node.ts';

async function openNode({ skipNodeRegistration = false, hasJoined = true } = {}) {
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  const { api, changes } = createMemoryApiServer();
  const make = objectMaker(() => api);
  await make.node('a');
  await make.pod('web', 'a');
  changes.length = 0;
  const timers = new FakeTimers(0);
  const { signal } = new AbortController();
  const spec = { nodename: 'a', hostnameVersion: '1', skipNodeRegistration };
  await putResource(state, { ...pointerTo(nodenames), spec });
  let isOver = false;
  return {
    ...{ changes, timers, make },
    cordoned: (unschedulable: boolean) =>
      putResource(state, {
        ...pointerTo(nodeStatuses, 'a'),
        spec: {
          ...{ nodename: 'a', nodeReady: true, unschedulable },
          ...{ labels: {}, annotations: {}, podCIDRs: [] },
        },
      }),
    drain: () =>
      drainOwnNode(
        {
          ...{ state, timers, hasJoined: () => hasJoined },
          log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
          openNodes: async () => ({ ...openKubeNodes({ api, signal }), [Symbol.dispose]: () => {} }),
        },
        signal,
      ).finally(() => {
        isOver = true;
      }),
    /** Advances the time until the drain is over. */
    async pass(onTurn: () => Promise<unknown> | undefined = () => undefined) {
      while (!isOver) {
        await onTurn();
        timers.step(timers.now() + 500);
        await turn();
      }
    },
  };
}

test('drainOwnNode() evicts nothing before the node is cordoned, and ends after a minute without a cordon', async () => {
  const node = await openNode();
  await node.cordoned(false);
  const drained = assert.rejects(node.drain(), {
    kind: 'deadline-exceeded',
    message: 'node a is not cordoned after 60 s',
  });
  await node.pass();
  await drained;
  assert.deepEqual(node.changes, []);
});

test('drainOwnNode() drains the node once it is cordoned', async () => {
  const node = await openNode();
  const drained = node.drain();
  await node.cordoned(true);
  await node.pass(() => {
    const isEvicted = node.changes.some((change) => change.endsWith('/web/eviction'));
    return isEvicted ? node.make.removePod('web').catch(() => undefined) : undefined;
  });
  await drained;
  assert.equal(node.changes[0], 'POST /api/v1/namespaces/default/pods/web/eviction');
});

test('drainOwnNode() does nothing on a node that does not register, or has not joined', async () => {
  for (const init of [{ skipNodeRegistration: true }, { hasJoined: false }]) {
    const node = await openNode(init);
    await node.drain();
    assert.deepEqual(node.changes, []);
  }
});
