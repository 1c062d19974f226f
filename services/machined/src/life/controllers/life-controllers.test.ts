import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newServiceRecord, type ServiceRecord } from '@nodewright/services';
import { ChangingServices } from '@nodewright/services/testing';
import { pointerTo } from '@nodewright/state';
import {
  diagnostics,
  eventSinkConfigs,
  machineStatuses,
  machineTypes,
  nodeAddresses,
  type VolumeStatusSpec,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { worlds } from '../../base/domain/world.ts';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { servicesControllers } from '../../services/controllers/services-controllers.ts';
import { EventStore } from '../host/event-store.ts';
import type { WriteConsoles } from './console.ts';
import { lifeControllers } from './life-controllers.ts';

function openNode(world = worlds.process, writeConsoles?: WriteConsoles) {
  const services = new ChangingServices();
  const events = new EventStore(() => 0);
  const rig = openControllerRig([
    ...servicesControllers({ services }),
    ...lifeControllers({ world, events, services, writeConsoles }),
  ]);
  return {
    ...rig,
    services,
    events,
    statusEvents() {
      const told: string[] = [];
      for (let at = 0; at < events.ring.end; at++) {
        const stored = events.ring.at(at);
        if (stored === undefined || stored === 'lost' || stored.event.kind !== 'machine-status') continue;
        const { stage, ready, unmetConditions } = stored.event.status;
        told.push([stage, ready, ...unmetConditions.map(({ reason }) => reason)].join(' '));
      }
      return told;
    },
  };
}

test('the status of the machine follows its sequences and services, and is published as events', async () => {
  await using node = openNode();
  await node.put(machineTypes, 'machine-type', 'worker');
  node.services.set('machined', 'Running', true);
  node.services.set('apid', 'Running');
  await node.settled();
  node.services.set('apid', 'Running', true);
  await node.settled();
  node.events.publish({ kind: 'sequence', sequence: 'boot', action: 'stop' });
  await node.settled();
  node.services.set('apid', 'Failed');
  await node.settled();
  node.events.publish({ kind: 'sequence', sequence: 'shutdown', action: 'start' });
  await node.settled();
  assert.deepEqual(node.statusEvents().slice(-5), [
    'booting false apid not healthy',
    'booting true',
    'running true',
    'running false apid not running',
    'shutting-down true',
  ]);
  assert.deepEqual((await node.state.get(pointerTo(machineStatuses, 'machine'))).spec, {
    stage: 'shutting down',
    status: { ready: true, unmetConditions: [] },
  });
});

test('a machine that waits for a configuration is in maintenance', async () => {
  await using node = openNode();
  node.events.publish({ kind: 'task', task: 'runningMaintenance', action: 'start' });
  await node.settled();
  const stage = async () => (await node.state.get(pointerTo(machineStatuses, 'machine'))).spec.stage;
  assert.equal(await stage(), 'maintenance');
  node.events.publish({ kind: 'task', task: 'runningMaintenance', action: 'stop' });
  await node.settled();
  assert.equal(await stage(), 'booting');
});

test('a default address within the pod network is a diagnostic, and is logged when it lasts', async () => {
  await using node = openNode();
  await node.configure('version: v1alpha1\nmachine: {}\n');
  const put = (id: string, address: string) =>
    node.put(nodeAddresses, id, { addresses: [address], sortAlgorithm: 'v1' });
  // The node has an address in the network of its own pods.
  await put('current', '10.244.0.1/24');
  assert.deepEqual(await node.specs(diagnostics), []);
  await put('default', '10.244.0.1/24');
  assert.deepEqual(
    (await node.specs(diagnostics)).map(([id]) => id),
    ['address-overlap'],
  );
  const problems = () => node.runtime.logged.filter(({ msg }) => msg === 'problem lasts').length;
  await node.runtime.advance(59_000);
  assert.equal(problems(), 0);
  await node.runtime.advance(600_000);
  assert.equal(problems(), 1);
  await put('default', '127.1.0.2/32');
  assert.deepEqual(await node.specs(diagnostics), []);
});

test('a stored configuration whose protections nothing provides is a diagnostic of a machine', async () => {
  const firewall = 'apiVersion: v1alpha1\nkind: NetworkDefaultActionConfig\ningress: ';
  for (const world of Object.values(worlds)) {
    await using node = openNode(world);
    const found = async () => (await node.specs(diagnostics)).map(([id, { details }]) => [id, details]);
    await node.configure(`version: v1alpha1\nmachine: {}\n---\n${firewall}block\n`);
    const expected = world.refusesUnkeptProtections
      ? [['missing-protection', ['NetworkDefaultActionConfig ingress']]]
      : [];
    assert.deepEqual(await found(), expected, world.name);
    await node.configure(`version: v1alpha1\nmachine: {}\n---\n${firewall}accept\n`);
    assert.deepEqual(await found(), [], world.name);
  }
});

test('an etcd that waits longer than 30 s is a diagnostic with its reason until it runs', async () => {
  await using node = openNode();
  const report = async (state: ServiceRecord['state'], message: string) => {
    node.services.set('etcd', state, undefined, message);
    await node.settled();
  };
  const found = async () => (await node.specs(diagnostics)).map(([id, { message }]) => `${id}: ${message}`);
  await report('Starting', 'Starting service');
  await node.runtime.advance(20_000);
  await report('Preparing', 'Waiting to join etcd: no other control plane is known');
  await node.runtime.advance(9000);
  assert.deepEqual(await found(), []);
  await node.runtime.advance(1000);
  const [[, spec] = []] = await node.specs(diagnostics);
  assert.deepEqual(spec, {
    message: 'etcd does not run: Waiting to join etcd: no other control plane is known',
    details: [
      'state of the service: Preparing',
      'for a new cluster run "talosctl bootstrap" on one control plane; else check the etcd of the others with "talosctl etcd members"',
    ],
  });
  await report('Preparing', 'Waiting to join etcd: connection refused');
  assert.deepEqual(await found(), [
    'etcd-waiting: etcd does not run: Waiting to join etcd: connection refused',
  ]);
  await report('Preparing', 'Creating service runner');
  assert.deepEqual(await found(), []);
  await report('Failed', 'Failed to run pre stage: no image');
  assert.deepEqual(await found(), ['etcd-waiting: etcd does not run: Failed to run pre stage: no image']);
  await report('Running', 'Process started');
  await node.runtime.advance(60_000);
  assert.deepEqual(await found(), []);
  await report('Waiting', 'Process ended');
  assert.deepEqual(await found(), []);
  await report('Finished', 'Service finished successfully');
  await node.runtime.advance(60_000);
  assert.deepEqual(await found(), []);
});

test('a service that keeps restarting is a diagnostic until it has run for a minute', async () => {
  await using node = openNode();
  const { timers } = node.runtime;
  const message = 'Error running Process(["kubelet"]), going to restart forever: exit status 1';
  let record = newServiceRecord('kubelet', false);
  const report = async (state: ServiceRecord['state'], text: string) => {
    record = { ...record, state, history: [...record.history, { state, message: text, atMs: timers.now() }] };
    node.services.put(record);
    await node.settled();
  };
  const found = async () => (await node.specs(diagnostics)).map(([id, spec]) => `${id}: ${spec.message}`);
  for (let restart = 0; restart < 3; restart += 1) {
    assert.deepEqual(await found(), []);
    await node.runtime.advance(5000);
    await report('Waiting', message);
  }
  assert.deepEqual(await found(), ['restarting-kubelet: service kubelet keeps restarting: exit status 1']);
  await report('Running', 'Started task');
  await node.runtime.advance(59_000);
  assert.equal((await found()).length, 1);
  await node.runtime.advance(2000);
  assert.deepEqual(await found(), []);
});

test('a clock that is set delays no diagnostic, and hastens none', async () => {
  await using node = openNode();
  await node.configure('version: v1alpha1\nmachine: {}\n');
  await node.put(nodeAddresses, 'default', { addresses: ['10.244.0.1/24'], sortAlgorithm: 'v1' });
  node.services.set('etcd', 'Preparing', undefined, 'Waiting to join etcd');
  await node.settled();
  const ids = async () => (await node.specs(diagnostics)).map(([id]) => id);
  const problems = () => node.runtime.logged.filter(({ msg }) => msg === 'problem lasts').length;
  node.runtime.timers.stepClock(3_600_000);
  node.services.set('etcd', 'Preparing', undefined, 'Waiting to join etcd: nobody is there');
  await node.put(nodeAddresses, 'current', { addresses: ['10.5.0.2/24'], sortAlgorithm: 'v1' });
  await node.runtime.advance(20_000);
  assert.deepEqual([await ids(), problems()], [['address-overlap'], 0]);
  node.runtime.timers.stepClock(-2 * 3_600_000);
  await node.runtime.advance(10_000);
  assert.deepEqual([await ids(), problems()], [['address-overlap', 'etcd-waiting'], 0]);
  await node.runtime.advance(30_000);
  assert.equal(problems(), 1);
  await node.runtime.advance(30_000);
  assert.equal(problems(), 2);
});

test('the event sink is a resource while the configuration has one', async () => {
  await using node = openNode();
  await node.configure('apiVersion: v1alpha1\nkind: EventSinkConfig\nendpoint: 127.0.0.1:4000\n');
  assert.deepEqual(await node.specs(eventSinkConfigs), [['event-sink', { endpoint: '127.0.0.1:4000' }]]);
  await node.configure('version: v1alpha1\nmachine: {}\n');
  assert.deepEqual(await node.specs(eventSinkConfigs), []);
});

test('a machine whose etcd has failed before it ran is not ready', async () => {
  await using node = openNode();
  await node.put(machineTypes, 'machine-type', 'controlplane');
  for (const service of ['machined', 'apid', 'trustd']) node.services.set(service, 'Running', true);
  node.events.publish({ kind: 'sequence', sequence: 'boot', action: 'stop' });
  node.services.set('etcd', 'Waiting');
  node.services.set('ext-agent', 'Failed');
  await node.settled();
  node.services.set('etcd', 'Failed');
  await node.settled();
  node.services.set('etcd', 'Running', true);
  await node.settled();
  assert.deepEqual(node.statusEvents().slice(-3), [
    'running true',
    'running false etcd failed',
    'running true',
  ]);
});

test('a machine is ready without services that have failed and are no longer wanted', async () => {
  await using node = openNode();
  for (const service of ['machined', 'apid']) node.services.set(service, 'Running', true);
  node.services.set('kubelet', 'Failed');
  await node.settled();
  node.services.set('kubelet', 'Finished');
  await node.settled();
  // It was told to stop, and its process did not end in time.
  node.services.set('kubelet', 'Failed', undefined, 'service aborted', true);
  await node.settled();
  assert.deepEqual(node.statusEvents().slice(-2), ['booting false kubelet failed', 'booting true']);
});

test('a service that is no longer failed leaves the status at once, also while it does not run', async () => {
  for (const state of ['Starting', 'Waiting', 'Preparing', 'Skipped', 'Finished'] as const) {
    await using node = openNode();
    for (const service of ['machined', 'apid']) node.services.set(service, 'Running', true);
    node.services.set('etcd', 'Failed');
    await node.settled();
    node.services.set('etcd', state);
    await node.settled();
    const told = node.statusEvents().slice(-2);
    assert.deepEqual(told, ['booting false etcd failed', 'booting true'], state);
  }
});

test('an etcd that was stopped and did not end in time is no diagnostic', async () => {
  await using node = openNode();
  node.services.set('etcd', 'Failed', undefined, 'service aborted', true);
  await node.settled();
  await node.runtime.advance(60_000);
  assert.deepEqual(await node.specs(diagnostics), []);
});

test('a machine whose disk is too small names the volume, not the services that need it', async () => {
  await using node = openNode();
  await node.put(machineTypes, 'machine-type', 'controlplane');
  for (const service of ['machined', 'apid']) node.services.set(service, 'Running', true);
  const failed = (errorMessage: string) => ({ phase: 'failed', errorMessage }) as VolumeStatusSpec;
  await node.put(volumeStatuses, 'data', failed('a disk of the user'));
  await node.put(volumeStatuses, 'EPHEMERAL', failed('no room'));
  const { status } = (await node.state.get(pointerTo(machineStatuses, 'machine'))).spec;
  assert.deepEqual(status, {
    ready: false,
    unmetConditions: [{ name: 'volumes', reason: 'EPHEMERAL: no room' }],
  });
});

test('the consoles show the state of a machine when it changes, at most every five seconds', async () => {
  const texts: string[] = [];
  await using node = openNode(worlds.machine, async (text) => void texts.push(text));
  await node.settled();
  assert.equal(texts.length, 1);
  await node.put(nodeAddresses, 'current', { addresses: ['10.0.0.2/24'], sortAlgorithm: 'v1' });
  node.services.set('etcd', 'Waiting', undefined, 'Waiting for time sync');
  await node.settled();
  assert.equal(texts.length, 1);
  await node.runtime.advance(5000);
  assert.equal(texts.length, 2);
  assert.match(texts[1] ?? '', /address: 10\.0\.0\.2\n/);
  assert.match(texts[1] ?? '', /waits for: service etcd: Waiting for time sync\n/);
  node.services.set('etcd', 'Running', true);
  await node.settled();
  await node.runtime.advance(5000);
  assert.equal(texts.length, 3);
  assert.doesNotMatch(texts.at(-1) ?? '', /etcd/);
});

test('a service that crashes in a loop gets ever fewer lines on the consoles, and an address is shown at once', async () => {
  const texts: string[] = [];
  await using node = openNode(worlds.machine, async (text) => void texts.push(text));
  for (let crash = 0; crash < 60; crash++) {
    node.services.set('ext-agent', 'Waiting', undefined, `exit code ${crash}`);
    await node.settled();
    await node.runtime.advance(5000);
  }
  assert.ok(texts.length > 3 && texts.length < 10, `${texts.length} blocks in five minutes`);
  await node.put(nodeAddresses, 'current', { addresses: ['10.0.0.2/24'], sortAlgorithm: 'v1' });
  await node.runtime.advance(5000);
  assert.match(texts.at(-1) ?? '', /address: 10\.0\.0\.2\n/);
});
