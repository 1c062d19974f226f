import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import type { DeviceEvent } from '../domain/device-event.ts';
import { deviceLimits } from '../domain/limits.ts';
import type { WantedModule } from '../domain/module-policy.ts';
import { DeviceDrivers, readModaliases } from './device-drivers.ts';

const event = (modalias: string | undefined, rest: Partial<DeviceEvent> = {}): DeviceEvent => ({
  ...{ source: 'kernel', action: 'add', path: '/devices/x', subsystem: 'pci' },
  properties: Buffer.from(`SUBSYSTEM=pci\0${modalias === undefined ? '' : `MODALIAS=${modalias}\0`}`),
  ...rest,
});

/** Drivers on an image that has `vmxnet3` for one device, and refuses another one. */
function driversOfTest(all: readonly string[] = []) {
  const asked: WantedModule[] = [];
  const lines: string[] = [];
  const log = {
    info: (_facts: object, text: string) => void lines.push(`info: ${text}`),
    warn: (facts: object, text: string) => void lines.push(`warn: ${text} ${JSON.stringify(facts)}`),
  };
  const drivers = new DeviceDrivers({
    all: () => all,
    log: log as never,
    async load(wanted) {
      asked.push(wanted);
      if ('modalias' in wanted && wanted.modalias === 'pci:vmxnet3') return ['vmxnet3'];
      if ('modalias' in wanted && wanted.modalias.startsWith('pci:refused'))
        throw new Fault('failed-precondition', 'module "tg3" cannot be loaded: EKEYREJECTED');
      throw new Fault('not-found', 'the image has no module');
    },
  });
  return { drivers, asked, lines };
}

test('the driver of a device that appears is loaded once, and a device without one is no problem', async () => {
  const { drivers, asked, lines } = driversOfTest();
  for (const modalias of ['pci:vmxnet3', 'pci:other', undefined, 'pci:vmxnet3', 'acpi:LNX'])
    drivers.onEvent(event(modalias));
  drivers.onEvent(event('pci:udevd', { source: 'udevd' }));
  drivers.onEvent(event('pci:removed', { action: 'remove' }));
  drivers.onEvent(event(undefined, { properties: Buffer.from('OTHERMODALIAS=pci:not-one\0') }));
  await drivers.idle();
  assert.deepEqual(asked, [{ modalias: 'pci:vmxnet3' }, { modalias: 'pci:other' }, { modalias: 'acpi:LNX' }]);
  assert.deepEqual([drivers.loads, lines], [1, ['info: loaded the driver of a device']]);
});

test('a driver that the kernel refuses is a line in the log, and the same reason is not repeated', async () => {
  const { drivers, lines } = driversOfTest();
  for (const modalias of ['pci:refused1', 'pci:refused2']) drivers.onEvent(event(modalias));
  await drivers.idle();
  assert.deepEqual(lines, [
    'warn: the driver of a device cannot be loaded {"modalias":"pci:refused1","error":"module \\"tg3\\" cannot be loaded: EKEYREJECTED"}',
  ]);
});

test('after lost events all devices are looked at', async () => {
  const { drivers, asked } = driversOfTest(['pci:vmxnet3', 'pci:other']);
  drivers.onEvent(event('pci:vmxnet3'));
  drivers.onLost();
  await drivers.idle();
  assert.equal(asked.length, 2);
});

test('ever new devices take no more places than the limits allow, and long or strange names are not looked up', async () => {
  const { drivers, asked } = driversOfTest();
  for (let count = 0; count < 3 * deviceLimits.waitingDrivers; count += 1)
    drivers.onEvent(event(`usb:v${count}`));
  await drivers.idle();
  assert.equal(asked.length, deviceLimits.waitingDrivers);
  for (const modalias of ['x'.repeat(deviceLimits.modaliasLength + 1), 'pci:\x1b[2J', 'pci: a', ''])
    drivers.onEvent(event(modalias));
  await drivers.idle();
  assert.equal(asked.length, deviceLimits.waitingDrivers);
});

test('readModaliases() returns those of all buses, each once', () => {
  const root = mkdtempSync(join(tmpdir(), 'modaliases-'));
  try {
    const device = (path: string, modalias?: string) => {
      mkdirSync(join(root, 'bus', path), { recursive: true });
      if (modalias !== undefined) writeFileSync(join(root, 'bus', path, 'modalias'), modalias);
    };
    device('pci/devices/0000:00:01.0', 'pci:v1\n');
    device('pci/devices/0000:00:02.0', 'pci:v1\n');
    device('virtio/devices/virtio0', 'virtio:d1\n');
    device('virtio/devices/virtio1');
    device('pci/drivers');
    assert.deepEqual(readModaliases(root), ['pci:v1', 'virtio:d1']);
    assert.deepEqual(readModaliases(join(root, 'none')), []);
  } finally {
    rmSync(root, { recursive: true });
  }
});
