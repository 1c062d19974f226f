import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candidatesAt, schemaTree } from '../page/editor/candidates.ts';
import { yamlPlace } from '../page/editor/yaml-place.ts';
import { readSchema } from './schema.ts';

const tree = schemaTree(JSON.parse(JSON.stringify(readSchema())));

/** What is offered at `|`. */
function offered(marked: string): string[] {
  const place = yamlPlace(marked.replace('|', ''), marked.indexOf('|'));
  return place === undefined ? [] : candidatesAt(tree, place).map(({ label }) => label);
}

test('candidatesAt() offers the keys of a map that are not set', () => {
  const keys = offered('version: v1alpha1\nmachine:\n  type: worker\n  |\ncluster: {}\n');
  assert.ok(keys.includes('network') && keys.includes('kubelet') && keys.includes('sysctls'), keys.join());
  assert.ok(!keys.includes('type'));
  assert.deepEqual(offered('version: v1alpha1\nmachine: {}\n|'), ['debug', 'persist', 'cluster']);
});

test('candidatesAt() offers values of enumerations and of booleans', () => {
  assert.deepEqual(offered('version: v1alpha1\ndebug: |'), ['true', 'false']);
  const kinds = offered('apiVersion: v1alpha1\nkind: |');
  assert.ok(kinds.includes('WireguardConfig') && !kinds.includes(''), kinds.join());
});

test('candidatesAt() offers the fields of list elements and of map values', () => {
  assert.ok(offered('apiVersion: v1alpha1\nkind: WireguardConfig\npeers:\n  - |').includes('publicKey'));
  const registries = 'machine:\n  registries:\n    mirrors:\n      docker.io:\n        |';
  assert.ok(offered(registries).includes('endpoints'), offered(registries).join());
});

test('candidatesAt() offers nothing where the schema has nothing', () => {
  assert.deepEqual(offered('machine:\n  nonsense:\n    |'), []);
  assert.deepEqual(offered('apiVersion: v1alpha1\nkind: Nonsense\n|'), []);
});
