import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import type { BlockDevice, BlockDisk } from '@nodewright/linux';
import { pointerTo, putResource } from '@nodewright/state';
import {
  blockDevices,
  blockSymlinks,
  devicesStatuses,
  discoveredVolumes,
  discoveredVolumesStatuses,
  discoveryRefreshStatuses,
  disks,
  services,
  systemDisks,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { worlds } from '../../base/domain/world.ts';
import type { DeviceEvents, DeviceListener } from '../host/device-events.ts';
import { blockControllers } from './block-controllers.ts';
import { devicesController } from './devices.ts';
import { discoveredVolumesStatusController } from './discovered-volumes-status.ts';
import { discoveryController } from './discovery.ts';
import { disksController } from './disks.ts';
import { symlinksController } from './symlinks.ts';
import { systemDiskController } from './system-disk.ts';

const device = (name: string, more: Partial<BlockDevice> = {}): BlockDevice => ({
  ...{ name, type: 'disk', major: 8, minor: 0, partitionName: '', partitionNumber: 0, parent: '' },
  ...{ sysPath: `/sys/devices/x/${name}`, secondaries: [], offsetBytes: 0, sizeBytes: 1000 },
  ...more,
});
const meta = device('vda2', { type: 'partition', parent: 'vda', partitionName: 'META', partitionNumber: 2 });
const disk: BlockDisk = {
  ...{ name: 'vda', devicePath: '/dev/vda', sizeBytes: 1000n, kind: 'ssd', model: '', serial: '' },
  ...{ modalias: '', uuid: '', wwid: '', busPath: '', subsystem: '/sys/class/block', isReadOnly: false },
  ...{ isRotational: false, sectorBytes: 512, ioBytes: 4096, firmwareVersion: '', transport: 'virtio' },
};

/** The device events of a machine whose devices the test changes. */
function fakeEvents() {
  const listeners = new Set<DeviceListener>();
  const events: DeviceEvents = {
    listen(_subsystem, listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  const tell = (name: string) => {
    const event = {
      action: 'change',
      devicePath: `/devices/x/${name}`,
      subsystem: 'block',
      facts: new Map(),
    };
    for (const { onEvents } of [...listeners]) onEvents(event);
  };
  const fail = (error: unknown) => {
    for (const { onError } of [...listeners]) onError(error);
  };
  return { events, tell, fail };
}

test('devices follow the events of the kernel, and a watch that broke is opened again', async () => {
  const machine = [device('vda')];
  const { events, tell, fail } = fakeEvents();
  const controllers = [
    devicesController(
      () => machine,
      async () => events,
    ),
  ];
  await using runtime = openTestRuntime({ controllers });
  const generations = async () => {
    await runtime.settled();
    const all = await runtime.state.list(blockDevices);
    return all.map(({ metadata, spec }) => `${metadata.id} ${spec.generation}`);
  };
  assert.deepEqual(await generations(), ['vda 1']);
  machine.push(meta);
  tell('vda2');
  assert.deepEqual(await generations(), ['vda 1', 'vda2 1']);
  tell('vda2');
  assert.deepEqual(await generations(), ['vda 1', 'vda2 2']);
  machine.pop();
  tell('vda2');
  assert.deepEqual(await generations(), ['vda 1']);
  fail(new Fault('data-loss', 'test'));
  await runtime.advance(1000);
  // Any device may have changed while the watch was broken.
  assert.deepEqual(await generations(), ['vda 2']);
  tell('vda');
  assert.deepEqual(await generations(), ['vda 3']);
});

test('without kernel events, devices are read once a minute', async () => {
  const machine = [device('vda')];
  const noNews = () => Promise.reject(new Fault('unavailable', 'no netlink here'));
  await using runtime = openTestRuntime({ controllers: [devicesController(() => machine, noNews)] });
  await runtime.settled();
  machine.push(device('vdb'));
  await runtime.advance(59_000);
  assert.equal((await runtime.state.list(blockDevices)).length, 1);
  await runtime.advance(1000);
  assert.equal((await runtime.state.list(blockDevices)).length, 2);
  const said = runtime.logged.find(({ msg }) => msg.startsWith('no events of devices'));
  assert.deepEqual([said?.level, said?.error], ['info', 'no netlink here']);
});

test('disks, volumes and the system disk follow the devices', async () => {
  const { events } = fakeEvents();
  const machine = [device('vda'), meta, device('loop0', { sizeBytes: 0 })];
  const controllers = [
    devicesController(
      () => machine,
      async () => events,
    ),
    disksController(() => [disk, { ...disk, name: 'vdz' }]),
    discoveryController({
      readBlockDevices: () => machine,
      readDisks: () => [disk],
      readUdevRecord: ({ name }) => new Map(name === 'vda2' ? [['ID_FS_TYPE', 'talosmeta']] : []),
    }),
    discoveredVolumesStatusController(),
    systemDiskController(),
  ];
  await using runtime = openTestRuntime({ controllers });
  const { state } = runtime;
  await runtime.settled();
  const ids = async (kind: { namespace: string; type: string }) =>
    (await state.list(kind)).map(({ metadata }) => metadata.id);
  assert.deepEqual([await ids(disks), await ids(discoveredVolumes)], [['vda'], ['vda', 'vda2']]);
  const volume = (await state.get(pointerTo(discoveredVolumes, 'vda2'))).spec;
  assert.deepEqual([volume.name, volume.io_size, volume.partition_index], ['talosmeta', 4096, 2]);
  assert.deepEqual((await state.get(pointerTo(systemDisks, 'system-disk'))).spec, {
    diskID: 'vda',
    devPath: '/dev/vda',
  });
  // Nothing requests a refresh before the devices are known.
  assert.deepEqual(await ids(discoveryRefreshStatuses), []);
  await putResource(state, { ...pointerTo(devicesStatuses, 'devices'), spec: { ready: true } });
  await runtime.settled();
  assert.deepEqual((await state.get(pointerTo(discoveryRefreshStatuses, 'refresh'))).spec, { request: 1 });
  const status = pointerTo(discoveredVolumesStatuses, 'discovered-volumes-status');
  assert.deepEqual((await state.get(status)).spec, { ready: true });
});

test('without udev the devices are read, and again when a volume becomes ready', async () => {
  let name = '';
  const controller = discoveryController({
    readBlockDevices: () => [device('vda'), meta],
    readDisks: () => [disk],
    readUdevRecord: () => new Map(),
    readContents: async () =>
      new Map([['vda2', new Map(Object.entries({ ID_FS_TYPE: name, BLOCK_SIZE: '512' }))]]),
  });
  await using runtime = openTestRuntime({ controllers: [controller] });
  const { state } = runtime;
  const shown = async () => {
    await runtime.settled();
    const { spec } = await state.get(pointerTo(discoveredVolumes, 'vda2'));
    return [spec.name, spec.block_size];
  };
  assert.deepEqual(await shown(), ['', 512]);
  name = 'xfs';
  const spec = { ...volumeStatuses.codec.fromProto(new Uint8Array()), phase: 'ready' as const };
  await putResource(state, { ...pointerTo(volumeStatuses, 'STATE'), spec });
  assert.deepEqual(await shown(), ['xfs', 512]);
});

test('links to devices are read once udevd is healthy, and when their folders change', async () => {
  const links = new Map([['vda', ['/dev/disk/by-id/a']]]);
  let change = () => {};
  const controller = symlinksController({
    readDeviceLinks: () => links,
    watchDeviceLinks: (onChange) => {
      change = onChange;
      return { [Symbol.dispose]: () => {} };
    },
    hasUdevd: true,
  });
  await using runtime = openTestRuntime({ controllers: [controller] });
  const { state } = runtime;
  const shown = async () => {
    await runtime.settled();
    return (await state.list(blockSymlinks)).map(({ metadata, spec }) => [metadata.id, ...spec.paths]);
  };
  assert.deepEqual(await shown(), []);
  const well = { running: true, healthy: true, unknown: false };
  await putResource(state, { ...pointerTo(services, 'udevd'), spec: well });
  assert.deepEqual(await shown(), [['vda', '/dev/disk/by-id/a']]);
  links.set('vdb', ['/dev/disk/by-id/b']);
  change();
  assert.deepEqual(await shown(), [
    ['vda', '/dev/disk/by-id/a'],
    ['vdb', '/dev/disk/by-id/b'],
  ]);
});

test('links are watched as soon as their folders exist, and by one watch at a time', async () => {
  let isThere = false;
  let open = 0;
  let change = () => {};
  const controller = symlinksController({
    readDeviceLinks: () => new Map(isThere ? [['vda', ['/dev/disk/by-id/a']]] : []),
    watchDeviceLinks(onChange) {
      if (!isThere) return undefined;
      open += 1;
      change = onChange;
      return {
        [Symbol.dispose]() {
          open -= 1;
        },
      };
    },
    hasUdevd: true,
  });
  {
    await using runtime = openTestRuntime({ controllers: [controller] });
    await runtime.settled();
    isThere = true;
    const well = { running: true, healthy: true, unknown: false };
    await putResource(runtime.state, { ...pointerTo(services, 'udevd'), spec: well });
    await runtime.settled();
    assert.equal(open, 1);
    change();
    await runtime.settled();
    assert.equal(open, 1);
    assert.deepEqual((await runtime.state.list(blockSymlinks)).length, 1);
  }
  assert.equal(open, 0);
});

test('a container has no controllers of block devices', () => {
  const { events } = fakeEvents();
  const init = { hasUdevd: false, readsContents: false, events: async () => events };
  assert.deepEqual(blockControllers({ ...init, world: worlds.container }), []);
  assert.deepEqual(
    blockControllers({ ...init, world: worlds.process }).map(({ name }) => name),
    [
      'block.DevicesController',
      'block.SymlinksController',
      'block.DisksController',
      'block.DiscoveryController',
      'block.DiscoveredVolumesStatusController',
      'block.SystemDiskController',
    ],
  );
});
