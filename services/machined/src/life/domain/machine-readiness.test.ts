import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineStatusOf, type ReadinessFacts, type RunningService } from './machine-readiness.ts';

const well = (id: string): RunningService => ({ id, healthy: true, unknown: false });
const facts: ReadinessFacts = {
  stage: 'running',
  machineType: 'controlplane',
  services: ['apid', 'machined', 'trustd'].map(well),
  ...{ failedServices: [], failedVolumes: [] },
  isApiWaiting: false,
  hasHealthCheck: () => true,
  time: { synced: true },
  network: { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
  hasKubernetes: false,
  staticPods: [],
  node: undefined,
};
const kubernetes: Partial<ReadinessFacts> = {
  hasKubernetes: true,
  services: [...facts.services, well('kubelet'), well('etcd')],
  node: { name: 'node01', isReady: true },
};
const podWith = (id: string, phase: string, status: string) => ({
  id: `kube-system/${id}`,
  status: { phase, conditions: [{ type: 'Ready', status }] },
});
const unmet = (changed: Partial<ReadinessFacts>) => {
  const { unmetConditions } = machineStatusOf({ ...facts, ...changed }).status;
  return unmetConditions.map(({ name, reason }) => `${name}: ${reason}`);
};

test('a machine is ready when all of its conditions are met', () => {
  const wanted = { stage: 'running', status: { ready: true, unmetConditions: [] } };
  assert.deepEqual(machineStatusOf(facts), wanted);
  assert.deepEqual(machineStatusOf({ ...facts, time: undefined, network: undefined }), wanted);
});

const table: readonly (readonly [string, Partial<ReadinessFacts>, readonly string[]])[] = [
  ['time', { time: { synced: false } }, ['time: time is not synced']],
  [
    'the network',
    { network: { addressReady: false, connectivityReady: true, hostnameReady: false, etcFilesReady: false } },
    ['network: waiting on: address, etc-files, hostname'],
  ],
  [
    'services that do not run and services that are not well',
    { services: [{ id: 'apid', healthy: false, unknown: false }, well('machined')] },
    ['services: apid not healthy, trustd not running'],
  ],
  [
    'the certificate of a worker',
    { machineType: 'worker', isApiWaiting: true },
    ['services: apid waits for its certificate'],
  ],
  [
    'a service that was not asked yet',
    { services: [well('apid'), well('trustd'), { id: 'machined', healthy: false, unknown: true }] },
    ['services: machined not healthy'],
  ],
  [
    'no service that cannot be asked',
    {
      services: [...facts.services, { id: 'ext-agent', healthy: false, unknown: true }],
      hasHealthCheck: (id) => id !== 'ext-agent',
    },
    [],
  ],
  [
    'services that have failed, also those that it does not require',
    {
      services: [well('apid'), well('machined')],
      failedServices: ['etcd', 'trustd'],
    },
    ['services: etcd failed, trustd not running'],
  ],
  [
    'a volume that has failed, and not for the services that need it',
    {
      services: [well('apid'), well('machined')],
      failedVolumes: [{ id: 'EPHEMERAL', reason: 'the disk has no room' }],
    },
    ['volumes: EPHEMERAL: the disk has no room'],
  ],
  ['no trustd on a worker', { machineType: 'worker', services: [well('apid'), well('machined')] }, []],
  ['nothing of a node of Kubernetes that is ready', kubernetes, []],
  [
    'the kubelet and etcd on a control plane of Kubernetes',
    { ...kubernetes, services: facts.services },
    ['services: etcd not running, kubelet not running'],
  ],
  [
    'static pods that are not ready',
    {
      ...kubernetes,
      staticPods: [
        podWith('a', 'Running', 'False'),
        podWith('b', 'Running', 'True'),
        podWith('c', 'Pending', 'False'),
        podWith('d', 'Succeeded', 'False'),
      ],
    },
    ['staticPods: kube-system/a not ready, kube-system/c pending'],
  ],
  [
    'the node in Kubernetes, which is not ready',
    { ...kubernetes, node: { name: 'node01', isReady: false } },
    ['nodeReady: node "node01" is not ready'],
  ],
  [
    'the node in Kubernetes, which is not known yet',
    { ...kubernetes, node: { name: 'node01', isReady: undefined } },
    ['nodeReady: node "node01" status is not available yet'],
  ],
  ['no node in Kubernetes where it does not register', { ...kubernetes, node: undefined }, []],
  ['nothing while it goes down', { stage: 'shutting down', services: [], time: { synced: false } }, []],
  ['nothing while it waits for a configuration', { stage: 'maintenance', services: [] }, []],
];

for (const [what, changed, wanted] of table) {
  test(`a machine waits for ${what}`, () => assert.deepEqual(unmet(changed), wanted));
}
