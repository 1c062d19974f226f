import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo, putResource } from '@nodewright/state';
import {
  cpuCores,
  memoryModules,
  metaKeys,
  metaLoads,
  pciDevices,
  systemInformations,
} from '@nodewright/state/kinds';
import { worlds } from '../../base/domain/world.ts';
import { FakeDeviceSource } from '../testing/fake-source.ts';
import { hardwareControllers } from './hardware-controllers.ts';

const address = '0000:00:03.0';

const source = new FakeDeviceSource();
source.pciDevices = [{ address, classId: 2, subclassId: 0, vendorId: 0x1af4, productId: 0x1041, driver: '' }];
const uuidOfFirmware = '9f1c8f3e-2b5b-4c9d-8a51-2f0a3b7c6d11';
source.smbios = {
  system: {
    ...{ manufacturer: 'QEMU', productName: '', version: '', serialNumber: '', uuid: uuidOfFirmware },
    ...{ wakeUpType: '', skuNumber: '', biosVersion: '' },
  },
  ...{ processors: [], memoryModules: [] },
};
const files: Readonly<Record<string, string>> = {
  '/proc/meminfo': 'MemTotal: 2097152 kB\n',
  '/proc/cpuinfo': 'processor : 0\nphysical id : 0\ncore id : 3\n',
};
const init = {
  hasUdevd: false,
  source,
  read: (path: string) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
};

test('the machine is shown as firmware and kernel describe it, once META and the devices have been read', async () => {
  await using runtime = openTestRuntime({
    controllers: hardwareControllers({ ...init, world: worlds.process }),
  });
  const { state } = runtime;
  await runtime.settled();
  assert.deepEqual(await state.list(systemInformations), []);
  source.isKnown = false;
  await putResource(state, { ...pointerTo(metaLoads, 'meta-loaded'), spec: { done: true } });
  await runtime.settled();
  assert.deepEqual(await state.list(systemInformations), []);
  source.isKnown = true;
  source.become({ reason: 'reached' });
  source.tell('pci');
  await runtime.settled();
  const system = pointerTo(systemInformations, 'systeminformation');
  const uuid = async () => (await state.get(system)).spec.uuid;
  assert.equal((await state.get(system)).spec.manufacturer, 'QEMU');
  assert.equal(await uuid(), uuidOfFirmware);
  await putResource(state, { ...pointerTo(metaKeys, '0x0f'), spec: { value: 'given' } });
  await runtime.settled();
  assert.equal(await uuid(), 'given');
  assert.equal((await state.get(pointerTo(memoryModules, 'UNKNOWN'))).spec.sizeMiB, 2048);
  assert.deepEqual((await state.get(pointerTo(cpuCores, '0-3'))).spec.logicalCPUs, [0]);
  assert.deepEqual((await state.get(pointerTo(pciDevices, address))).spec, {
    ...{ class: 'Network controller', subclass: 'Ethernet controller', vendor: '', product: '' },
    ...{ class_id: '0x02', subclass_id: '0x00', vendor_id: '0x1af4', product_id: '0x1041', driver: '' },
  });
});

test('a container does not read the hardware of its machine', () => {
  assert.deepEqual(hardwareControllers({ ...init, world: worlds.container }), []);
});
