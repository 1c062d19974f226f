import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineStatusOf, type ReadinessFacts, type RunningService } from './machine-readiness.ts';

const well = (id: string): RunningService => ({ id, healthy: true, unknown: false });
const facts: ReadinessFacts = {
  stage: 'running',
  machineType: 'controlplane',
  services: ['apid', 'machined', 'trustd'].map(well),
  hasHealthCheck: () => true,
  time: { synced: true },
  network: { addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
};
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
  ['no trustd on a worker', { machineType: 'worker', services: [well('apid'), well('machined')] }, []],
  ['nothing while it goes down', { stage: 'shutting down', services: [], time: { synced: false } }, []],
  ['nothing while it waits for a configuration', { stage: 'maintenance', services: [] }, []],
];

for (const [what, changed, wanted] of table) {
  test(`a machine waits for ${what}`, () => assert.deepEqual(unmet(changed), wanted));
}
