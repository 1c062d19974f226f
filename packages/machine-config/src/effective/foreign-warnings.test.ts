import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { effectiveConfig } from './effective-config.ts';
import { foreignWarnings } from './foreign-warnings.ts';

const config = (type: string, cluster: string) =>
  effectiveConfig(loadConfiguration(`machine: { type: ${type} }\ncluster: { ${cluster} }\n`));

test('foreignWarnings() warns of another cluster and of the other machine type', () => {
  const active = config('controlplane', 'id: a, clusterName: alpha');
  const warned = (type: string, cluster: string) => foreignWarnings(active, config(type, cluster));
  assert.deepEqual(warned('controlplane', 'id: b, clusterName: beta'), [
    'this configuration is of another cluster "beta" than the active one',
  ]);
  assert.deepEqual(warned('controlplane', 'id: b, clusterName: alpha'), [
    'this configuration is of another cluster than the active one',
  ]);
  assert.deepEqual(warned('controlplane', 'clusterName: beta').length, 1);
  assert.deepEqual(warned('worker', 'id: a'), [
    'this configuration is for a worker, and the active one for a control plane',
  ]);
  assert.equal(warned('worker', 'id: b').length, 2);
});

test('foreignWarnings() cuts a long name of a cluster', () => {
  const next = config('worker', `id: b, clusterName: ${'n'.repeat(3_000_000)}`);
  const [warning = ''] = foreignWarnings(config('worker', 'id: a, clusterName: alpha'), next);
  assert.equal(warning, `this configuration is of another cluster "${'n'.repeat(64)}…" than the active one`);
});

test('foreignWarnings() is empty for the same cluster and type, and for what is not known', () => {
  const active = config('controlplane', 'id: a, clusterName: alpha');
  for (const next of [
    config('controlplane', 'id: a, clusterName: renamed'),
    config('init', ''),
    effectiveConfig(loadConfiguration('apiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n')),
  ]) {
    assert.deepEqual(foreignWarnings(active, next), []);
    assert.deepEqual(foreignWarnings(next, active), []);
  }
});
