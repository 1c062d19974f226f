import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodKinds } from './machine-services.ts';
import { isOneToManyMethod, isStreamingMethod } from './one-to-many.ts';

test('isStreamingMethod() is true for every server stream that accepts `nodes`', () => {
  const forgotten = Object.entries(methodKinds)
    .filter(
      ([name, kind]) => isOneToManyMethod(name) && isStreamingMethod(name) !== (kind === 'server-stream'),
    )
    .map(([name]) => name);
  assert.deepEqual(forgotten, []);
});

test('isStreamingMethod() depends on the name alone', () => {
  const answers = [
    '/machine.MachineService/FutureStream',
    '/other.Service/Stream',
    '/os.OSService/Dmesg',
    '/machine.LifecycleService/Install',
    '/machine.MachineService/EtcdRecover',
    '/machine.MachineService/Streams',
    '/machine.MachineService/logs',
    '/machine.ImageService/List',
    '',
  ].map((name) => [name, isStreamingMethod(name)]);
  assert.deepEqual(answers, [
    ['/machine.MachineService/FutureStream', true],
    ['/other.Service/Stream', true],
    ['/os.OSService/Dmesg', true],
    ['/machine.LifecycleService/Install', true],
    ['/machine.MachineService/EtcdRecover', false],
    ['/machine.MachineService/Streams', false],
    ['/machine.MachineService/logs', false],
    ['/machine.ImageService/List', false],
    ['', false],
  ]);
});

test('isOneToManyMethod() distinguishes the two storage services and accepts unknown methods', () => {
  const answers = [
    '/storage.StorageService/Disks',
    '/machine.StorageService/Statfs',
    '/machine.MachineService/Future',
    '/machine.MachineServices/Memory',
    '/cosi.resource.State/Get',
  ].map((name) => isOneToManyMethod(name));
  assert.deepEqual(answers, [true, false, true, false, false]);
});
