import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveConfig, loadConfiguration } from '@nodewright/machine-config';
import { controlPlaneText } from '@nodewright/node-files/testing';
import type { MachineTypeName } from '@nodewright/state/kinds';
import { dialOrder } from './dial-order.ts';
import { endpointText, isSelf, kubePrismEndpointsFrom, maxEndpoints } from './kube-prism-endpoints.ts';

const member = (address: string, port?: number, machineType: MachineTypeName = 'controlplane') => ({
  machineType,
  addresses: [address],
  controlPlane: port === undefined ? undefined : { port },
});

test('kubePrismEndpointsFrom() lists the cluster, this node and the control planes, each once', async () => {
  const config = effectiveConfig(loadConfiguration(await controlPlaneText()));
  const members = [
    member('10.5.0.1', 6443),
    member('10.5.0.3', 7443),
    member('10.5.0.4'),
    // Whatever a worker says of itself.
    member('10.5.0.5', 6443, 'worker'),
    member('10.5.0.6', 6443, 'unknown'),
    member('fd00::2', 6443),
  ];
  const texts = (own: string | undefined) => kubePrismEndpointsFrom(config, members, own).map(endpointText);
  const others = ['10.5.0.3:7443', '[fd00::2]:6443'];
  assert.deepEqual(texts(undefined), ['10.5.0.1:6443', 'localhost:6443', ...others]);
  assert.deepEqual(texts('127.5.0.2'), ['10.5.0.1:6443', '127.5.0.2:6443', ...others]);
});

test('kubePrismEndpointsFrom() gives a worker no server of its own, and bounds the list', () => {
  const text =
    'version: v1alpha1\nmachine: { type: worker }\ncluster: { controlPlane: { endpoint: "https://k8s.example.org" } }\n';
  const config = effectiveConfig(loadConfiguration(text));
  assert.deepEqual(kubePrismEndpointsFrom(config, [], undefined).map(endpointText), ['k8s.example.org:443']);
  const many = Array.from({ length: 100 }, (_, index) => member(`10.5.0.${index}`, 6443));
  assert.equal(kubePrismEndpointsFrom(config, many, undefined).length, maxEndpoints);
});

test('isSelf() knows the balancer under each of its names', () => {
  const listener = { host: '127.0.0.1', port: 7445 };
  assert.deepEqual(
    ['localhost', '127.0.0.1', '10.0.0.1'].map((host) => isSelf(listener, { host, port: 7445 })),
    [true, true, false],
  );
  assert.equal(isSelf(listener, { host: 'localhost', port: 6443 }), false);
});

test('dialOrder() takes servers that answer in turns, and tries those that failed last', () => {
  const backend = (name: string, health: 'up' | 'down' | 'unknown') => ({ name, health });
  const all = [backend('a', 'down'), backend('b', 'up'), backend('c', 'unknown'), backend('d', 'up')];
  const names = (turn: number) =>
    dialOrder(all, turn)
      .map(({ name }) => name)
      .join('');
  assert.deepEqual([names(0), names(1), names(2)], ['bdca', 'dbca', 'bdca']);
  assert.deepEqual(dialOrder([], 3), []);
});
