import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeNode, KubeTaint } from '@nodewright/client/kube-nodes';
import fc from 'fast-check';
import { planNode, type WantedNode } from './plan-node.ts';

const nothing: WantedNode = { labels: {}, annotations: {}, taints: [], isCordoned: false };
const wants = (change: Partial<WantedNode>): WantedNode => ({ ...nothing, ...change });

/** Applies JSON merge patches until nothing is left to do, as an API server would. */
function applied(node: KubeNode, wanted: WantedNode): KubeNode {
  let current = node;
  for (let step = 0; step < 10; step += 1) {
    const [next] = planNode(current, wanted);
    if (next === undefined) return current;
    current = merged(current, next.patch) as KubeNode;
  }
  assert.fail('the plan does not come to an end');
}

function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(target as object) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

const nodeWith = (metadata: KubeNode['metadata'], taints: readonly KubeTaint[] = []): KubeNode => ({
  metadata: { name: 'a', ...metadata },
  spec: { taints },
});

test('planNode() writes what is wanted, and remembers the keys', () => {
  const wanted = wants({
    labels: { role: '', zone: 'a' },
    annotations: { note: 'x' },
    taints: [{ key: 'role', effect: 'NoSchedule' }],
  });
  assert.deepEqual(applied(nodeWith({ labels: { other: 'y' } }), wanted), {
    metadata: {
      name: 'a',
      labels: { other: 'y', role: '', zone: 'a' },
      annotations: {
        note: 'x',
        'talos.dev/owned-labels': '["role","zone"]',
        'talos.dev/owned-annotations': '["note"]',
        'talos.dev/owned-taints': '["role"]',
      },
    },
    spec: { taints: [{ key: 'role', effect: 'NoSchedule' }] },
  });
});

test('planNode() leaves a key that somebody else set, and takes one that has the wanted value', () => {
  const taints = [
    { key: 'theirs', effect: 'NoExecute' },
    { key: 'same', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' },
  ];
  const node = applied(
    nodeWith({ labels: { theirs: 'b', same: 'c' } }, taints),
    wants({
      labels: { theirs: 'a', same: 'c' },
      taints: [
        { key: 'theirs', effect: 'NoSchedule' },
        { key: 'same', effect: 'NoSchedule' },
      ],
    }),
  );
  assert.deepEqual(node.metadata?.labels, { theirs: 'b', same: 'c' });
  assert.deepEqual(node.spec?.taints, taints);
  assert.deepEqual(node.metadata?.annotations, {
    'talos.dev/owned-labels': '["same"]',
    'talos.dev/owned-taints': '["same"]',
  });
});

test('planNode() removes what left the configuration, and only that', () => {
  const before = nodeWith({ labels: { theirs: 'b' }, annotations: { also: 'theirs' } }, [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  ]);
  const full = applied(
    before,
    wants({
      labels: { own: 'a' },
      annotations: { note: 'x' },
      taints: [{ key: 'own', effect: 'NoSchedule' }],
    }),
  );
  assert.deepEqual(applied(full, nothing), before);
});

test('planNode() writes again what somebody removed or changed', () => {
  const wanted = wants({ labels: { own: 'a' }, taints: [{ key: 'own', value: 'v', effect: 'NoSchedule' }] });
  const full = applied(nodeWith({}), wanted);
  const changed = {
    ...full,
    metadata: { ...full.metadata, labels: { own: 'edited' } },
    spec: { taints: [] },
  };
  assert.deepEqual(applied(changed, wanted), full);
});

test('planNode() cordons the node, and uncordons only one that it has cordoned', () => {
  const own = applied(nodeWith({}), wants({ isCordoned: true }));
  assert.equal(own.spec?.unschedulable, true);
  assert.deepEqual(own.metadata?.annotations, { 'talos.dev/cordoned': 'true' });
  assert.deepEqual(applied(own, nothing), { metadata: { name: 'a', annotations: {} }, spec: { taints: [] } });
  const byUser: KubeNode = { metadata: { name: 'a' }, spec: { unschedulable: true } };
  assert.deepEqual(applied(byUser, wants({ isCordoned: true })), byUser);
  assert.deepEqual(applied(byUser, nothing), byUser);
});

test('planNode() asks the API server to refuse a change of another version of the node', () => {
  const [first] = planNode(nodeWith({ resourceVersion: '7' }), wants({ labels: { a: 'b' } }));
  assert.deepEqual(first?.patch.metadata, {
    resourceVersion: '7',
    labels: { a: 'b' },
    annotations: { 'talos.dev/owned-labels': '["a"]' },
  });
});

test('planNode() takes records of ownership that are damaged as none, and lets nobody configure its own annotations', () => {
  const labels = { a: 'b' };
  for (const text of ['', 'x', '{}', '[1]', '"a"', 'null']) {
    const node = nodeWith({ labels, annotations: { 'talos.dev/owned-labels': text } });
    assert.deepEqual(applied(node, nothing).metadata?.labels, labels);
  }
  const annotations = { 'talos.dev/cordoned': 'true', 'talos.dev/owned-labels': '["a"]' };
  assert.deepEqual(planNode(nodeWith({}), wants({ annotations })), []);
});

const key = fc.constantFrom('a', 'b', 'c', 'toString', '__proto__');
const value = fc.constantFrom('', 'x', 'y');
const map = fc.dictionary(key, value, { noNullPrototype: true });
const taints = fc.uniqueArray(fc.record({ key, effect: fc.constantFrom('NoSchedule', 'NoExecute') }), {
  selector: (taint) => taint.key,
});
const wish = fc.record({ labels: map, annotations: map, taints, isCordoned: fc.boolean() });

test('property: whatever was wanted before, nothing is left of it, and what others set stays', () => {
  fc.assert(
    fc.property(map, taints, wish, wish, (labels, present, first, second) => {
      const foreign = nodeWith({ labels }, present);
      const once = applied(applied(foreign, first), second);
      assert.deepEqual(planNode(once, second), []);
      for (const [name, set] of Object.entries(labels)) {
        // A key with the wanted value is taken over; any other stays until the end.
        if (first.labels[name] === set || second.labels[name] === set) continue;
        assert.equal(once.metadata?.labels?.[name], set);
      }
      for (const name of Object.keys(once.metadata?.labels ?? {}))
        assert.ok(Object.hasOwn(labels, name) || Object.hasOwn(second.labels, name), name);
    }),
  );
});
