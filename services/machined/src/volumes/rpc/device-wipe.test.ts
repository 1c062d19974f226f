import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockDeviceWipeDescriptor } from '@nodewright/contract/gen/storage/storage.ts';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo, putResource } from '@nodewright/state';
import { volumeStatuses } from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { createDeviceWipe, type DeviceWipeInit } from './device-wipe.ts';

const context = { signal: new AbortController().signal } as Parameters<
  ReturnType<typeof createDeviceWipe>['blockDeviceWipe']
>[1];
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
  const { blockDeviceWipe } = createDeviceWipe({ disks, state, telemetry: noTelemetry });
  assert.deepEqual(await blockDeviceWipe(asked({ method: 1, dropPartition: true }), context), {
    messages: [{}],
  });
  const skips = { skipVolumeCheck: false, skipSecondaryCheck: false };
  assert.deepEqual(calls, [
    {
      wishes: [{ device: 'vdb', method: 'zeroes', dropPartition: true, ...skips }],
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
    state: runtime.state,
  });
  await assert.rejects(blockDeviceWipe(asked({ method: 7 as never }), context), {
    kind: 'failed-precondition',
    message: 'this node is a container and owns no disks',
  });
});
