import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import type { BlockDevice, BlockDisk } from '@nodewright/linux';
import { pointerTo, putResource } from '@nodewright/state';
import {
  blockDevices,
  blockSymlinks,
  deviceSourceStatuses,
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
import { FakeDeviceSource } from '../testing/fake-source.ts';
import { blockControllers } from './block-controllers.ts';
import { deviceSourceStatusController } from './device-source-status.ts';
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

test('devices follow the events of the kernel, and those of udevd are the same events once more', async () => {
  const source = new FakeDeviceSource();
  source.devices = [device('vda')];
  await using runtime = openTestRuntime({ controllers: [devicesController(source)] });
  const generations = async () => {
    await runtime.settled();
    const all = await runtime.state.list(blockDevices);
    return all.map(({ metadata, spec }) => `${metadata.id} ${spec.generation}`);
  };
  assert.deepEqual(await generations(), ['vda 1']);
  source.devices.push(meta);
  source.tell('block', 'vda2');
  assert.deepEqual(await generations(), ['vda 1', 'vda2 1']);
  source.tell('block', 'vda2');
  source.tell('block', 'vda2', true);
  assert.deepEqual(await generations(), ['vda 1', 'vda2 2']);
  source.devices.pop();
  source.tell('block', 'vda2');
  assert.deepEqual(await generations(), ['vda 1']);
  // Any device may have changed when events were missed.
  source.tell('block');
  assert.deepEqual(await generations(), ['vda 2']);
  source.tell('block', 'vda');
  assert.deepEqual(await generations(), ['vda 3']);
});

test('nothing is shown before the devices are known, and their loss removes nothing', async () => {
  const source = new FakeDeviceSource();
  source.isKnown = false;
  source.devices = [device('vda')];
  const controllers = [
    devicesController(source),
    disksController(source),
    deviceSourceStatusController(source),
  ];
  await using runtime = openTestRuntime({ controllers });
  await runtime.settled();
  assert.deepEqual(await runtime.state.list(blockDevices), []);
  source.isKnown = true;
  source.tell('block');
  await runtime.settled();
  source.become({ isConnected: false, problem: 'gone' });
  await runtime.settled();
  assert.equal((await runtime.state.list(blockDevices)).length, 1);
  const { spec } = await runtime.state.get(pointerTo(deviceSourceStatuses, 'devices'));
  assert.deepEqual(spec, { connected: false, mode: 'udevd', reason: 'test', problem: 'gone', gaps: 0 });
});

test('disks, volumes and the system disk follow the devices', async () => {
  const source = new FakeDeviceSource();
  source.devices = [device('vda'), meta, device('loop0', { sizeBytes: 0 })];
  source.disks = [disk, { ...disk, name: 'vdz' }];
  source.records.set('vda2', new Map([['ID_FS_TYPE', 'talosmeta']]));
  const controllers = [
    devicesController(source),
    disksController(source),
    discoveryController({ source }),
    discoveredVolumesStatusController(),
    systemDiskController(() => undefined),
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

test('what udevd has recorded of a device is shown when it is done', async () => {
  const source = new FakeDeviceSource();
  source.devices = [device('vda')];
  await using runtime = openTestRuntime({ controllers: [discoveryController({ source })] });
  const shown = async () => {
    await runtime.settled();
    return (await runtime.state.get(pointerTo(discoveredVolumes, 'vda'))).spec.name;
  };
  assert.equal(await shown(), '');
  source.records.set('vda', new Map([['ID_FS_TYPE', 'xfs']]));
  source.tell('block', 'vda', true);
  assert.equal(await shown(), 'xfs');
});

test('without udev the devices are read, and again when a volume becomes ready', async () => {
  let name = '';
  const source = new FakeDeviceSource();
  source.devices = [device('vda'), meta];
  const controller = discoveryController({
    source,
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

test('links to devices are shown once udevd is healthy, and follow its events', async () => {
  const source = new FakeDeviceSource();
  source.links.set('vda', ['/dev/disk/by-id/a']);
  await using runtime = openTestRuntime({ controllers: [symlinksController(source, true)] });
  const { state } = runtime;
  const shown = async () => {
    await runtime.settled();
    return (await state.list(blockSymlinks)).map(({ metadata, spec }) => [metadata.id, ...spec.paths]);
  };
  assert.deepEqual(await shown(), []);
  const well = { running: true, healthy: true, unknown: false };
  await putResource(state, { ...pointerTo(services, 'udevd'), spec: well });
  assert.deepEqual(await shown(), [['vda', '/dev/disk/by-id/a']]);
  source.links.set('vdb', ['/dev/disk/by-id/b']);
  source.tell('block', 'vdb', true);
  assert.deepEqual(await shown(), [
    ['vda', '/dev/disk/by-id/a'],
    ['vdb', '/dev/disk/by-id/b'],
  ]);
});

test('no listener of the source outlives its controller', async () => {
  const source = new FakeDeviceSource();
  const init = {
    hasUdevd: false,
    systemDisk: () => undefined,
    source,
    world: worlds.process,
  };
  {
    await using runtime = openTestRuntime({ controllers: blockControllers(init) });
    await runtime.settled();
    assert.equal(source.listeners, 3);
  }
  assert.equal(source.listeners, 0);
});

test('a container has no controllers of block devices', () => {
  const init = {
    hasUdevd: false,
    systemDisk: () => undefined,
    source: new FakeDeviceSource(),
  };
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
