import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClusterNode,
  healthTimeoutMs,
  kubernetesEndpoint,
  nodesToCheck,
  ownEndpoints,
} from './health-request.ts';

const member = (address: string, machineType: ClusterNode['machineType']): ClusterNode => ({
  addresses: [address, 'fd00::1'],
  machineType,
});
const members = [
  member('10.0.0.1', 'init'),
  member('10.0.0.2', 'controlplane'),
  member('10.0.0.3', 'worker'),
];

test('a health check uses the named nodes, else the known members, else this node', () => {
  const named = { controlPlaneNodes: ['a'], workerNodes: ['b'], forceEndpoint: '' };
  assert.deepEqual(nodesToCheck({ clusterInfo: named }, members, 'own'), {
    controlPlanes: ['a'],
    workers: ['b'],
  });
  const empty = { controlPlaneNodes: [], workerNodes: [], forceEndpoint: 'https://x' };
  for (const clusterInfo of [undefined, empty]) {
    assert.deepEqual(nodesToCheck({ clusterInfo }, members, 'own'), {
      controlPlanes: ['10.0.0.1', '10.0.0.2'],
      workers: ['10.0.0.3'],
    });
  }
  assert.deepEqual(nodesToCheck({ clusterInfo: undefined }, [], 'own'), {
    controlPlanes: ['own'],
    workers: [],
  });
});

test('a health check rejects more than 5000 nodes', () => {
  const named = (count: number) => ({
    clusterInfo: {
      controlPlaneNodes: ['a'],
      workerNodes: Array<string>(count - 1).fill('b'),
      forceEndpoint: '',
    },
  });
  assert.equal(nodesToCheck(named(5000), [], 'own').workers.length, 4999);
  assert.throws(() => nodesToCheck(named(5001), [], 'own'), {
    kind: 'invalid-argument',
    message: '5001 nodes are too many for one check: name at most 5000',
  });
});

test('a health check takes the requested time, 20 minutes by default, and at most the longest timer', () => {
  const of = (seconds: bigint, nanos = 0) => healthTimeoutMs({ waitTimeout: { seconds, nanos } });
  assert.deepEqual(
    [healthTimeoutMs({ waitTimeout: undefined }), of(0n), of(2n, 500_000_000), of(10n ** 12n)],
    [1_200_000, 0, 2500, 2 ** 31 - 1],
  );
  assert.throws(() => of(-1n), { kind: 'invalid-argument' });
});

const endpointRequest = (forceEndpoint: string) => ({
  clusterInfo: { controlPlaneNodes: [], workerNodes: [], forceEndpoint },
});

test('a health check asks the API server that an administrator names, if that is a URL with https', () => {
  const admin = { isAdmin: true, own: [] };
  assert.equal(kubernetesEndpoint(endpointRequest('https://10.0.0.9:6443'), admin), 'https://10.0.0.9:6443');
  assert.equal(kubernetesEndpoint(endpointRequest(''), admin), undefined);
  assert.equal(kubernetesEndpoint({ clusterInfo: undefined }, admin), undefined);
  for (const text of ['http://10.0.0.9', '10.0.0.9:6443', 'file:///etc'])
    assert.throws(() => kubernetesEndpoint(endpointRequest(text), admin), { kind: 'invalid-argument' });
});

test('a health check for others asks only the API servers of the cluster', () => {
  const members = [
    { machineType: 'controlplane', addresses: ['10.5.0.2', 'fd00::2'] },
    { machineType: 'worker', addresses: ['10.5.0.3'] },
  ] as const;
  const own = ownEndpoints({ endpoint: 'https://lb.example:6443', apiServerPort: 443 }, members);
  const reader = { isAdmin: false, own };
  for (const text of [
    'https://lb.example:6443',
    'https://LB.example:6443/',
    'https://10.5.0.2',
    'https://[fd00::2]:443',
  ])
    assert.equal(kubernetesEndpoint(endpointRequest(text), reader), text);
  for (const text of [
    ...['https://lb.example', 'https://10.5.0.2:6443', 'https://10.5.0.3:443', 'https://10.0.0.9:22'],
    ...['https://lb.example:6443@10.0.0.9', 'https://lb.example.evil:6443', 'https://127.0.0.1:50000'],
  ])
    assert.throws(() => kubernetesEndpoint(endpointRequest(text), reader), {
      kind: 'permission-denied',
      message: /only os:admin may name another one$/,
    });
  assert.deepEqual(ownEndpoints(undefined, members), []);
});
