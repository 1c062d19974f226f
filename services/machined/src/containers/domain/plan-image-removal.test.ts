import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ImagesOfServices, keepUnnamedMs, planImageRemoval } from './plan-image-removal.ts';

const image = (reference: string, createdAtMs: number) => ({ reference, createdAtMs });
const [old, used, next] = [
  image('registry.k8s.io/etcd:v3.6.0', 1),
  image('registry.k8s.io/etcd:v3.7.0', 2),
  image('registry.k8s.io/etcd:v3.8.0', 3),
];

function removed(init: Partial<ImagesOfServices>): readonly string[] {
  return planImageRemoval({
    images: [old, used, next],
    named: [used.reference],
    unnamedSinceMs: new Map([old, used, next].map(({ reference }) => [reference, 0])),
    nowMs: keepUnnamedMs,
    ...init,
  }).remove;
}

test('planImageRemoval() removes an older image of a repository in use, after some days without a name', () => {
  assert.deepEqual(removed({}), [old.reference]);
  assert.deepEqual(removed({ nowMs: keepUnnamedMs - 1 }), []);
  assert.deepEqual(removed({ unnamedSinceMs: new Map() }), []);
});

test('planImageRemoval() keeps what is named, is newer, or is of another repository', () => {
  assert.deepEqual(removed({ named: [used.reference, old.reference] }), []);
  assert.deepEqual(removed({ named: [old.reference] }), []);
  assert.deepEqual(removed({ named: [] }), []);
  assert.deepEqual(removed({ named: ['registry.k8s.io/etcd:v9'] }), []);
  assert.deepEqual(removed({ images: [image('ghcr.io/own/etcd:v3', 1), used] }), []);
  const hub = [image('docker.io/library/etcd:v1', 1), image('docker.io/library/etcd:v2', 2)];
  const unnamedSinceMs = new Map([['docker.io/library/etcd:v1', 0]]);
  assert.deepEqual(removed({ images: hub, named: ['etcd:v2'], unnamedSinceMs }), [
    'docker.io/library/etcd:v1',
  ]);
});

test('planImageRemoval() counts again from the last time that an image was named', () => {
  const first = planImageRemoval({
    ...{ images: [old, used], named: [used.reference], unnamedSinceMs: new Map(), nowMs: 5 },
  });
  assert.deepEqual(first, { remove: [], unnamedSinceMs: new Map([[old.reference, 5]]) });
  const back = planImageRemoval({
    ...{ images: [old, used], named: [old.reference], nowMs: 6, unnamedSinceMs: first.unnamedSinceMs },
  });
  assert.deepEqual(back, { remove: [], unnamedSinceMs: new Map() });
});
