import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { inventoryName } from '../domain/manifests/inventory.ts';
import { inventoryKey } from '../domain/manifests/object-identity.ts';
import { createMemoryCluster, type MemoryCluster } from '../testing/memory-objects.ts';
import { applyManifests, type ManifestToApply, maxObjects } from './apply-manifests.ts';

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const list = 'kube-system_talos-bootstrap-manifests-inventory__ConfigMap';

const config = (name: string, value = 'a', more: JsonObject = {}): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } },
  ...more,
});
const namespace = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const definition: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.org' },
  spec: { group: 'example.org', names: { kind: 'Lamp' } },
};
const lamp: JsonObject = { apiVersion: 'example.org/v1', kind: 'Lamp', metadata: { name: 'green' } };
const manifest = (id: string, ...objects: JsonObject[]): ManifestToApply => ({ id, objects });

interface PassInit {
  readonly node?: string;
  readonly isComplete?: boolean;
  readonly members?: readonly string[];
  readonly signal?: AbortSignal;
}

const pass = (
  { objects }: MemoryCluster,
  manifests: readonly ManifestToApply[],
  { node = 'node01', isComplete = true, members = ['node01', 'node02'], signal }: PassInit = {},
) =>
  applyManifests({
    ...{ objects, manifests, isComplete, node, members: new Set(members), timers: systemTimers, log },
    signal: signal ?? new AbortController().signal,
  });

test('applyManifests() applies manifests in order, namespaces and definitions before what needs them', async () => {
  const cluster = createMemoryCluster();
  const own = config('b', 'a', { metadata: { name: 'b', namespace: 'team' } });
  const outcome = await pass(cluster, [
    manifest('05-a', config('a')),
    manifest('99-b', lamp, own, definition, namespace('team')),
  ]);
  assert.deepEqual(outcome, { applied: ['05-a', '99-b'], problems: [] });
  assert.deepEqual(cluster.done, [
    'apply default_a__ConfigMap',
    'apply _team__Namespace',
    'apply _lamps.example.org_apiextensions.k8s.io_CustomResourceDefinition',
    'apply default_green_example.org_Lamp',
    'apply team_b__ConfigMap',
  ]);
});

test('applyManifests() changes nothing in a second pass, of this node or of another one', async () => {
  const cluster = createMemoryCluster();
  const manifests = [manifest('05-a', config('a'), config('b'))];
  await pass(cluster, manifests);
  cluster.done.length = 0;
  await pass(cluster, manifests);
  await pass(cluster, manifests, { node: 'node02' });
  assert.deepEqual(cluster.done, []);
  // A reader changed what the cluster has: it stays until the configuration changes.
  cluster.stored.set('default_a__ConfigMap', config('a', 'edited'));
  await pass(cluster, manifests);
  assert.deepEqual(cluster.done, []);
  cluster.stored.delete('default_b__ConfigMap');
  await pass(cluster, [manifest('05-a', config('a', 'new'), config('b'))]);
  assert.deepEqual(cluster.done, ['apply default_a__ConfigMap', 'apply default_b__ConfigMap']);
});

test('applyManifests() deletes what left all configurations, but not what was there before', async () => {
  const cluster = createMemoryCluster();
  cluster.stored.set('default_old__ConfigMap', config('old'));
  const all = [manifest('99-a', namespace('team'), config('a'), config('b'), config('old'))];
  await pass(cluster, all);
  await pass(cluster, all, { node: 'node02' });
  cluster.done.length = 0;
  await pass(cluster, []);
  assert.deepEqual(cluster.done, []);
  await pass(cluster, [], { node: 'node02', isComplete: false });
  assert.deepEqual(cluster.done, []);
  await pass(cluster, [manifest('99-a', config('b'))], { node: 'node02' });
  assert.deepEqual(cluster.done, ['remove default_a__ConfigMap']);
  assert.deepEqual([...cluster.stored.keys()].sort(), [
    '_team__Namespace',
    'default_b__ConfigMap',
    'default_old__ConfigMap',
    list,
  ]);
});

test('applyManifests() goes on after an object that is refused, and says which and why', async () => {
  const cluster = createMemoryCluster();
  cluster.hook = (verb, key) => {
    if (verb === 'apply' && key.startsWith('default_bad')) throw new Fault('invalid-argument', 'name is bad');
    if (verb === 'apply' && key.endsWith('_Secret')) throw new Fault('permission-denied', 'token abc');
  };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
  const unknown = { apiVersion: 'x.example.org/v1', kind: 'X', metadata: { name: 'x' } };
  const outcome = await pass(cluster, [
    manifest('05-a', config('bad'), config('a')),
    manifest('10-b', config('b')),
    manifest('99-c', secret, unknown, config('c')),
  ]);
  assert.deepEqual(outcome, {
    applied: ['10-b'],
    problems: [
      { manifest: '05-a', object: 'ConfigMap default/bad', message: 'name is bad' },
      {
        manifest: '99-c',
        object: 'X default/x',
        message: 'the API server knows no kind X of x.example.org/v1',
      },
      { manifest: '99-c', object: 'Secret default/s', message: 'refused: permission-denied' },
    ],
  });
  assert.deepEqual(
    cluster.done,
    [1, 2, 3].map((at) => `apply default_${' abc'[at]}__ConfigMap`),
  );
  // It is applied once the API server accepts it.
  cluster.hook = () => {};
  await pass(cluster, [manifest('05-a', config('bad'), config('a'))], { isComplete: false });
  assert.equal(cluster.done.at(-1), 'apply default_bad__ConfigMap');
});

test('applyManifests() tries a deletion again that failed', async () => {
  const cluster = createMemoryCluster();
  await pass(cluster, [manifest('99-a', config('a'))]);
  cluster.hook = (verb) => {
    if (verb === 'remove') throw new Fault('permission-denied', 'protected');
  };
  const problem = { manifest: '', object: 'ConfigMap default/a', message: 'protected' };
  assert.deepEqual((await pass(cluster, [])).problems, [problem]);
  cluster.hook = () => {};
  assert.deepEqual((await pass(cluster, [])).problems, []);
  assert.equal(cluster.done.at(-1), 'remove default_a__ConfigMap');
});

test('applyManifests() ends when the API server does not answer, the lock is lost, or another pass wrote', async () => {
  const cluster = createMemoryCluster();
  const manifests = [manifest('05-a', config('a'), config('b'))];
  cluster.hook = (verb, key) => {
    if (verb === 'apply' && key.startsWith('default_b')) throw new Fault('unavailable', 'no answer');
  };
  await assert.rejects(pass(cluster, manifests), { message: 'no answer' });
  const lost = new AbortController();
  cluster.hook = (verb) => verb === 'apply' && lost.abort(new Fault('aborted', 'lease lost'));
  await assert.rejects(pass(cluster, [manifest('05-a', config('c'), config('d'))], { signal: lost.signal }), {
    message: 'lease lost',
  });
  cluster.hook = (verb) => {
    if (verb !== 'write') return;
    const stored = cluster.stored.get(list) as { metadata: JsonObject };
    cluster.stored.set(list, { ...stored, metadata: { ...stored.metadata, resourceVersion: 'other' } });
  };
  await assert.rejects(pass(cluster, [manifest('05-a', config('e'))]), { kind: 'aborted' });
  assert.equal(cluster.stored.has('default_e__ConfigMap'), false);
});

test('what a pass created before it ended is deleted when it leaves the configuration', async () => {
  const cluster = createMemoryCluster();
  cluster.hook = (_verb, key) => {
    if (key.startsWith('default_b')) throw new Fault('unavailable', 'killed');
  };
  await assert.rejects(pass(cluster, [manifest('05-a', config('a'), config('b'))]));
  cluster.hook = () => {};
  assert.ok(cluster.stored.has('default_a__ConfigMap'));
  await pass(cluster, []);
  assert.deepEqual([...cluster.stored.keys()], [list]);
});

test('applyManifests() refuses more objects than the inventory has room for, and then deletes nothing', async () => {
  const cluster = createMemoryCluster();
  await pass(cluster, [manifest('05-a', config('old'))]);
  const many = Array.from({ length: maxObjects }, (_, index) => config(`c${index}`));
  const outcome = await pass(cluster, [manifest('05-a', config('a')), manifest('99-many', ...many)]);
  assert.deepEqual(outcome.applied, ['05-a']);
  assert.match(outcome.problems[0]?.message ?? '', /more than 2000 objects/);
  assert.ok(cluster.stored.has('default_old__ConfigMap'));
});

test('the inventory is a ConfigMap with a fixed name', async () => {
  const cluster = createMemoryCluster();
  await pass(cluster, [manifest('05-a', config('a'))]);
  assert.equal(inventoryKey({ apiVersion: 'v1', kind: 'ConfigMap', ...inventoryName }), list);
  const { data } = cluster.stored.get(list) as { data: Record<string, string> };
  const { isOwn, appliedBy } = JSON.parse(data.default_a__ConfigMap ?? '');
  assert.deepEqual([isOwn, Object.keys(appliedBy)], [true, ['node01']]);
});
