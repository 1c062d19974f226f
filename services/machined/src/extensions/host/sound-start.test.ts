import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { pointerTo } from '@nodewright/state';
import { devicesStatuses, kernelModuleStatuses, services } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { awaitSoundStart } from './sound-start.ts';

const module = { type: 'dynamic', state: 'live', size: 0, referenceCount: 0, dependencies: [], address: '' };

function open() {
  const rig = openControllerRig([]);
  const timers = new FakeTimers();
  const stop = new AbortController();
  let wanted: readonly string[] = ['nvme-tcp', 'zfs'];
  const reports: (readonly string[])[] = [];
  let isSound: boolean | undefined;
  const wait = awaitSoundStart({
    ...{ state: rig.state, timers, stopSignal: stop.signal },
    wantedModules: () => wanted,
  });
  const over = wait((problems) => void reports.push(problems)).then((result) => {
    isSound = result;
  });
  return {
    ...rig,
    ...{ stop, over, reports },
    isSound: () => isSound,
    want: (modules: readonly string[]) => {
      wanted = modules;
    },
    async look() {
      await rig.settled();
      timers.step(timers.now() + 1000);
      await rig.settled();
    },
  };
}

test('a start is sound when apid is healthy, the devices are settled and the configured modules are loaded', async () => {
  await using machine = open();
  const { put, look, reports } = machine;
  await put(services, 'apid', { running: true, healthy: false, unknown: true });
  await look();
  await look();
  const loading = ['the kernel module nvme-tcp is not loaded', 'the kernel module zfs is not loaded'];
  assert.deepEqual(reports, [['apid is not healthy', 'the devices are not settled', ...loading]]);
  await put(services, 'apid', { running: true, healthy: true, unknown: false });
  await put(kernelModuleStatuses, 'nvme_tcp', module as never);
  await look();
  await put(devicesStatuses, pointerTo(devicesStatuses).id, { ready: true });
  await look();
  assert.deepEqual(reports.slice(1), [
    ['the devices are not settled', 'the kernel module zfs is not loaded'],
    ['the kernel module zfs is not loaded'],
  ]);
  assert.equal(machine.isSound(), undefined);
  // Its start may hang, or crash the kernel.
  await put(kernelModuleStatuses, 'zfs', { ...module, state: 'Loading' } as never);
  await look();
  assert.equal(machine.isSound(), undefined);
  await put(kernelModuleStatuses, 'zfs', module as never);
  await look();
  assert.equal(machine.isSound(), true);
});

test('a module that the configuration does not want any more is not waited for', async () => {
  await using machine = open();
  await machine.put(services, 'apid', { running: true, healthy: true, unknown: false });
  await machine.put(devicesStatuses, pointerTo(devicesStatuses).id, { ready: true });
  await machine.look();
  assert.equal(machine.isSound(), undefined);
  machine.want([]);
  await machine.look();
  assert.equal(machine.isSound(), true);
});

test('a node that stops before its start is sound keeps nothing', async () => {
  await using machine = open();
  await machine.look();
  machine.stop.abort();
  await machine.over;
  assert.equal(machine.isSound(), false);
});
