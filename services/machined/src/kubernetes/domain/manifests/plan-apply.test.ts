import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Inventory, type InventoryEntry, inventoryData, readInventory } from './inventory.ts';
import { identityFromKey, inventoryKey } from './object-identity.ts';
import { decideApply, planPrune, recorded } from './plan-apply.ts';

const entry = (appliedBy: Record<string, string>, isOwn = true): InventoryEntry => ({
  apiVersion: 'v1',
  isOwn,
  appliedBy,
});
const decide = (known: InventoryEntry | undefined, hash: string, exists: boolean) =>
  decideApply(known, 'node01', { apiVersion: 'v1', hash, exists });

test('decideApply() applies what is missing, and what differs from what this node applied last', () => {
  const table: [string, InventoryEntry | undefined, string, boolean, boolean][] = [
    ['a new object', undefined, 'a', false, true],
    ['an object that users made before', undefined, 'a', true, true],
    ['an applied object', entry({ node01: 'a' }), 'a', true, false],
    ['an applied object that was deleted', entry({ node01: 'a' }), 'a', false, true],
    ['a changed object', entry({ node01: 'a' }), 'b', true, true],
    ['an object that another node has applied', entry({ node02: 'a' }), 'a', true, false],
    ['an object that another node has applied in another form', entry({ node02: 'b' }), 'a', true, true],
    ['an object that others changed after this node', entry({ node01: 'a', node02: 'b' }), 'a', true, false],
    ['an object of a list of another program', { ...entry({}), apiVersion: '' }, 'a', true, true],
  ];
  for (const [name, known, hash, exists, apply] of table)
    assert.equal(decide(known, hash, exists).apply, apply, name);
});

test('decideApply() remembers whether the object existed before', () => {
  assert.equal(decide(undefined, 'a', false).entry.isOwn, true);
  assert.equal(decide(undefined, 'a', true).entry.isOwn, false);
  assert.equal(decide(entry({}, false), 'a', false).entry.isOwn, true);
  // A pass that ended between the note and the creation.
  assert.equal(decide(decide(undefined, 'a', false).entry, 'a', true).entry.isOwn, true);
});

const [config, role, namespace, definition] = [
  'default_a__ConfigMap',
  '_system__coredns_rbac.authorization.k8s.io_ClusterRole',
  '_team__Namespace',
  '_x.example.org_apiextensions.k8s.io_CustomResourceDefinition',
] as const;

interface PruneCase {
  readonly inventory: Record<string, InventoryEntry>;
  readonly wanted?: readonly string[];
  readonly members?: readonly string[] | 'unknown';
}

function prune({ inventory, wanted = [], members = ['node01', 'node02'] }: PruneCase) {
  const known: Inventory = new Map(Object.entries(inventory));
  const names = members === 'unknown' ? undefined : new Set(members);
  const { remove, keep, left } = planPrune(known, 'node01', new Set(wanted), names);
  return { remove, keep: keep.map(({ key }) => key), left: Object.fromEntries(left) };
}

test('planPrune() deletes what no control plane wants any more', () => {
  const own = { [config]: entry({ node01: 'a' }), [role]: entry({ node01: 'a' }) };
  assert.deepEqual(prune({ inventory: own, wanted: [role] }), {
    ...{ remove: [config], keep: [] },
    left: { [role]: entry({ node01: 'a' }) },
  });
  const shared = { [config]: entry({ node01: 'a', node02: 'a' }) };
  assert.deepEqual(prune({ inventory: shared }), {
    ...{ remove: [], keep: [] },
    left: { [config]: entry({ node02: 'a' }) },
  });
  // node02 left the cluster, or is not known.
  assert.deepEqual(prune({ inventory: shared, members: ['node01'] }).remove, [config]);
  assert.deepEqual(prune({ inventory: shared, members: 'unknown' }).remove, []);
  // What a pass created before it ended is wanted by nobody.
  assert.deepEqual(prune({ inventory: { [config]: entry({}) } }).remove, [config]);
});

test('planPrune() keeps what was there before, and what holds objects of others', () => {
  const inventory = {
    [config]: entry({ node01: 'a' }, false),
    [namespace]: entry({ node01: 'a' }),
    [definition]: entry({ node01: 'a' }),
  };
  assert.deepEqual(prune({ inventory }), { remove: [], keep: [config, namespace, definition], left: {} });
});

test('planPrune() does not touch a list of another program', () => {
  const foreign = { ...entry({}, false), apiVersion: '' };
  assert.deepEqual(prune({ inventory: { [config]: foreign } }).left, { [config]: foreign });
});

test('an inventory is read as it was written, and damaged entries count as applied by nobody', () => {
  const inventory = new Map([[config, recorded(entry({ node02: 'b' }), 'node01', 'a')]]);
  assert.deepEqual(readInventory(inventoryData(inventory)), inventory);
  const nobody = { apiVersion: '', isOwn: false, appliedBy: {} };
  const damaged = { a: '', b: '{', c: '[]', d: '{"appliedBy":{"node01":1},"isOwn":"yes"}', e: 7 };
  assert.deepEqual([...readInventory(damaged).values()], Array(5).fill(nobody));
  assert.deepEqual([readInventory(undefined).size, readInventory('x').size], [0, 0]);
});

test('inventoryKey() names an object in a form that a ConfigMap allows, and identityFromKey() reads it', () => {
  const rbac = 'rbac.authorization.k8s.io/v1';
  const identities = [
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
    { apiVersion: rbac, kind: 'ClusterRole', namespace: '', name: 'system:coredns' },
    { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'kube-system', name: 'core.dns-1' },
  ];
  assert.deepEqual(identities.map(inventoryKey), [config, role, 'kube-system_core.dns-1_apps_Deployment']);
  for (const identity of identities) {
    assert.match(inventoryKey(identity), /^[-._a-zA-Z0-9]+$/);
    assert.deepEqual(identityFromKey(inventoryKey(identity), identity.apiVersion), identity);
  }
  for (const key of ['', 'a_b', '__v1_X', 'ns_a_apps_Deployment'])
    assert.equal(identityFromKey(key, 'v1'), undefined, key);
});
