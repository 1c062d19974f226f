import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { containerCapabilities } from '@nodewright/contract';
import { parse } from 'yaml';
import { planNodes } from './cluster-shape.ts';
import { folderLabel, ownedStack } from './owned-stack.ts';
import { type StackDesign, type StackDocument, stackDocument } from './stack-document.ts';
import { subnetPrefix } from './subnet.ts';

const subnet = { first: 10, second: 5, third: 0 };
const design = (controlPlanes: number, workers: number): StackDesign => ({
  name: 'talos-default',
  network: subnetPrefix(subnet),
  nodes: planNodes({ controlPlanes, workers }, subnet),
  tag: 'dev',
  jaegerPort: 16686,
  otlpPort: 4318,
  engineSocket: '/var/run/docker.sock',
  engineGroup: '0',
});

/**
 * Reads compose.yaml as compose does when no variable is set: merge keys resolved, defaults inserted, `x-`
 * fragments removed.
 */
function composeFile(): StackDocument {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'compose.yaml'), 'utf8');
  const document = parse(text.replaceAll(/\$\{\w+:?-([^}]*)\}/g, '$1'), { merge: true }) as Record<
    string,
    unknown
  >;
  return Object.fromEntries(
    Object.entries(document).filter(([key]) => !key.startsWith('x-')),
  ) as unknown as StackDocument;
}

test('stackDocument() for three control planes and one worker equals compose.yaml without its build fields', () => {
  const { services, ...rest } = composeFile();
  const withoutBuild = Object.fromEntries(
    Object.entries(services).map(([name, { build: _, pull_policy: __, ...service }]) => [name, service]),
  );
  assert.deepEqual({ ...stackDocument(design(3, 1)) }, { ...rest, services: withoutBuild });
});

test('stackDocument() has an apid, a registryd and an udevd-bridge for each node, a trustd for each control plane, and their volumes', () => {
  const { services, volumes } = stackDocument(design(1, 2));
  const nodes = Object.keys(services).filter((name) => name.startsWith('node'));
  assert.deepEqual(nodes, [
    'node01',
    'node01-apid',
    'node01-udevd-bridge',
    'node01-trustd',
    'node01-registryd',
    'node02',
    'node02-apid',
    'node02-udevd-bridge',
    'node02-registryd',
    'node03',
    'node03-apid',
    'node03-udevd-bridge',
    'node03-registryd',
  ]);
  assert.equal(Object.keys(volumes).length, 1 + 15 + 11 + 11);
});

test('stackDocument() of whole nodes has one container for each, with the listed capabilities and no engine socket', () => {
  const { services, volumes } = stackDocument({ ...design(1, 1), nodeImage: 'registry.example/node:v1' });
  assert.deepEqual(Object.keys(services), ['node01', 'node02', 'time', 'jaeger']);
  assert.deepEqual(Object.keys(volumes), [
    ...['node01-state', 'node01-var', 'node01-opt', 'node02-state', 'node02-var', 'node02-opt'],
  ]);
  for (const name of ['node01', 'node02']) {
    const { image, cap_drop: dropped, cap_add: added, privileged, ...rest } = services[name] ?? {};
    assert.deepEqual([image, dropped, privileged], ['registry.example/node:v1', ['ALL'], undefined]);
    assert.deepEqual(
      added,
      containerCapabilities.map((capability) => capability.name),
    );
    assert.doesNotMatch(JSON.stringify(rest), /docker\.sock/);
  }
});

test('no whole node gets a right with which it could end or change its host', () => {
  const names = containerCapabilities.map(({ name }) => name);
  const dangerous = ['SYS_BOOT', 'SYS_MODULE', 'SYS_TIME', 'SYS_RAWIO', 'SYSLOG'];
  assert.deepEqual(
    names.filter((name) => dangerous.includes(name)),
    [],
  );
  assert.deepEqual(names, names.toSorted());
});

test('ownedStack() adds only labels and published ports', () => {
  const document = stackDocument(design(1, 1));
  const owned = ownedStack(document, {
    folder: '/c/x',
    nodes: design(1, 1).nodes,
    publishedPorts: { node01: 40001 },
  });
  const own = { [folderLabel]: '/c/x', 'talos.owned': 'true', 'talos.cluster.name': 'talos-default' };
  const { node01, 'node02-apid': apid, jaeger } = owned.services;
  assert.deepEqual(node01, {
    ...document.services.node01,
    labels: { ...own, 'talos.type': 'controlplane' },
    ports: ['127.0.0.1:40001:50000'],
  });
  assert.deepEqual(apid, {
    ...document.services['node02-apid'],
    labels: { ...(document.services['node02-apid']?.labels as object), ...own },
  });
  assert.deepEqual(jaeger, { ...document.services.jaeger, labels: own });
  assert.deepEqual(owned.networks, { cluster: { ...document.networks.cluster, labels: own } });
  assert.deepEqual(owned.volumes['node02-apid'], { ...document.volumes['node02-apid'], labels: own });
  assert.deepEqual(owned.volumes.admin, { labels: own });
});
