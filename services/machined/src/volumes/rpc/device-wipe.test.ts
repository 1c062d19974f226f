import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataKeys, roles } from '@nodewright/contract';
import { BlockDeviceWipeDescriptor } from '@nodewright/contract/gen/storage/storage.ts';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource } from '@nodewright/state';
import { discoveredVolumes, volumeStatuses } from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { Metadata } from 'nice-grpc';
import { type AnnouncedWipe, createDeviceWipe, type DeviceWipeInit } from './device-wipe.ts';

type Context = Parameters<ReturnType<typeof createDeviceWipe>['blockDeviceWipe']>[1];

const contextOf = (metadata: Metadata) =>
  ({ signal: new AbortController().signal, metadata }) as unknown as Context;
const context = contextOf(Metadata({ [metadataKeys.role]: roles.admin }));
/** In maintenance. */
const stranger = contextOf(
  Metadata({ [metadataKeys.role]: roles.reader, [metadataKeys.address]: '10.5.0.9' }),
);
const announce = () => {};
const asked = (more: Partial<BlockDeviceWipeDescriptor>) => ({
  devices: [BlockDeviceWipeDescriptor.fromPartial({ device: 'vdb', ...more })],
});

test('BlockDeviceWipe passes the devices of a request on, with what the volumes use', async () => {
  await using runtime = openTestRuntime({ controllers: [] });
  const { state } = runtime;
  const spec = {
    ...volumeStatuses.codec.fromProto(new Uint8Array()),
    ...{ location: '/dev/vda5', parentLocation: '/dev/vda' },
  };
  await putResource(state, { ...pointerTo(volumeStatuses, 'STATE'), spec });
  const calls: unknown[] = [];
  const disks: DeviceWipeInit['disks'] = {
    wipe: async (wishes, volumes) => void calls.push({ wishes, volumes }),
  };
  const { blockDeviceWipe } = createDeviceWipe({ disks, state, announce, telemetry: noTelemetry });
  assert.deepEqual(await blockDeviceWipe(asked({ method: 1, dropPartition: true }), context), {
    messages: [{}],
  });
  const skips = { skipVolumeCheck: false, skipSecondaryCheck: false };
  assert.deepEqual(calls, [
    {
      wishes: [{ device: 'vdb', method: 'zeroes', dropPartition: true, ...skips, sparesSystemDisk: false }],
      volumes: [{ id: 'STATE', location: '/dev/vda5', parentLocation: '/dev/vda' }],
    },
  ]);
  await assert.rejects(blockDeviceWipe(asked({ method: 7 as never }), context), {
    kind: 'invalid-argument',
    message: 'block device "vdb": unknown wipe method 7',
  });
});

test('BlockDeviceWipe is refused by a node without disks of its own', async () => {
  await using runtime = openTestRuntime({ controllers: [] });
  const { blockDeviceWipe } = createDeviceWipe({
    ...{ disks: { refusal: 'this node is a container and owns no disks' }, telemetry: noTelemetry },
    ...{ state: runtime.state, announce },
  });
  await assert.rejects(blockDeviceWipe(asked({ method: 7 as never }), context), {
    kind: 'failed-precondition',
    message: 'this node is a container and owns no disks',
  });
});

test('BlockDeviceWipe without os:admin skips no check, and announces who wipes what once it may begin', async () => {
  await using runtime = openTestRuntime({ controllers: [] });
  const { state } = runtime;
  const spec = {
    ...discoveredVolumes.codec.fromProto(new Uint8Array()),
    ...{ name: 'ext4', label: 'photos', pretty_size: '1 TB' },
  };
  await putResource(state, { ...pointerTo(discoveredVolumes, 'vdb'), spec });
  const order: (AnnouncedWipe | string)[] = [];
  const spared: (boolean | undefined)[] = [];
  const disks: DeviceWipeInit['disks'] = {
    async wipe(wishes, _volumes, _signal, onStart) {
      spared.push(wishes[0]?.sparesSystemDisk);
      if (wishes[0]?.device === 'vda') throw new Fault('failed-precondition', 'in use');
      onStart();
      order.push('wiped');
    },
  };
  const { blockDeviceWipe } = createDeviceWipe({
    ...{ disks, state, telemetry: noTelemetry },
    announce: (wipe) => void order.push(wipe),
  });
  for (const skip of [{ skipVolumeCheck: true }, { skipSecondaryCheck: true }])
    await assert.rejects(blockDeviceWipe(asked(skip), stranger), { kind: 'permission-denied' });
  await assert.rejects(blockDeviceWipe(asked({ device: 'vda' }), stranger), { kind: 'failed-precondition' });
  assert.deepEqual(order, []);
  await blockDeviceWipe(asked({}), stranger);
  await blockDeviceWipe(asked({ skipVolumeCheck: true, skipSecondaryCheck: true }), context);
  const found = 'ext4 "photos", 1 TB';
  assert.deepEqual(order, [
    { device: 'vdb', found, address: '10.5.0.9' },
    'wiped',
    { device: 'vdb', found, address: undefined },
    'wiped',
  ]);
  // The system disk: twice as a stranger, once as an administrator.
  assert.deepEqual(spared, [true, true, false]);
});
