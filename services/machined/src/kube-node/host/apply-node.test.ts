import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KubeNodes, openKubeNodes } from '@nodewright/client/kube-nodes';
import { createMemoryApiServer, objectMaker } from '@nodewright/client/kube-nodes/testing';
import { Fault } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';
import { applyNode } from './apply-node.ts';

const wanted = {
  labels: { own: 'a' },
  annotations: {},
  taints: [{ key: 'own', effect: 'NoSchedule' }],
  isCordoned: true,
};

async function openNode(hook: (nodes: KubeNodes, patch: JsonObject) => Promise<void>) {
  const { api } = createMemoryApiServer();
  await objectMaker(() => api).node('a');
  const nodes = openKubeNodes({ api, signal: new AbortController().signal });
  const hooked: KubeNodes = {
    ...nodes,
    async change(name, patch) {
      await hook(nodes, patch);
      return nodes.change(name, patch);
    },
  };
  return { nodes, apply: () => applyNode(hooked, 'a', wanted) };
}

test('applyNode() changes the other parts when the API server refuses one, and says which and why', async () => {
  const { nodes, apply } = await openNode(async (_nodes, { spec }) => {
    if (spec !== undefined && Object.hasOwn(spec as JsonObject, 'taints'))
      throw new Fault('permission-denied', 'node "a" is not allowed to modify taints');
  });
  assert.deepEqual(await apply(), ['taints: node "a" is not allowed to modify taints']);
  const node = await nodes.read('a');
  assert.deepEqual(
    [node?.metadata?.labels, node?.spec?.unschedulable, node?.spec?.taints],
    [{ own: 'a' }, true, undefined],
  );
});

test('applyNode() reads the node again when another client has changed it, and gives up when that does not end', async () => {
  let changes = 2;
  const { nodes, apply } = await openNode(async (others) => {
    if (changes <= 0) return;
    changes -= 1;
    await others.change('a', { metadata: { labels: { [`other-${changes}`]: 'x' } } });
  });
  assert.deepEqual(await apply(), []);
  const { own, 'other-0': other } = (await nodes.read('a'))?.metadata?.labels ?? {};
  assert.deepEqual([own, other], ['a', 'x']);
  const endless = await openNode(async (others) => {
    changes += 1;
    await others.change('a', { metadata: { labels: { endless: String(changes) } } });
  });
  await assert.rejects(endless.apply(), { kind: 'aborted' });
});

test('applyNode() does nothing when there is no such node', async () => {
  const { nodes } = await openNode(async () => {});
  assert.deepEqual(await applyNode(nodes, 'b', wanted), []);
});
