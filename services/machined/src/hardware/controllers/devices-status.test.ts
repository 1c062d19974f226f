import assert from 'node:assert/strict';
import { test } from 'node:test';
import { devicesStatuses, services } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { devicesStatusController } from './devices-status.ts';

const ready = [['devices', { ready: true }]];

test('devices are ready at once without udevd', async () => {
  await using node = openControllerRig([devicesStatusController(false)]);
  await node.settled();
  assert.deepEqual(await node.specs(devicesStatuses), ready);
});

test('with udevd, devices are ready once it is healthy', async () => {
  await using node = openControllerRig([devicesStatusController(true)]);
  await node.put(services, 'udevd', { running: true, healthy: false, unknown: true });
  assert.deepEqual(await node.specs(devicesStatuses), []);
  await node.put(services, 'udevd', { running: true, healthy: true, unknown: false });
  assert.deepEqual(await node.specs(devicesStatuses), ready);
});
