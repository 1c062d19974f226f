import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNativeCalls } from '@nodewright/linux';
import { enterOwnNamespace, ip, noOwnNamespace } from '@nodewright/linux/testing';
import { eventually } from '@nodewright/testkit';
import type { DeviceEvent } from '../domain/device-event.ts';
import { openEventSocket, sourceOf } from './event-socket.ts';

function sender(port: number, groups: number): Buffer {
  const address = Buffer.alloc(12);
  address.writeUInt16LE(16);
  address.writeUInt32LE(port, 4);
  address.writeUInt32LE(groups, 8);
  return address;
}

test('only the kernel and a udevd of root are believed', () => {
  assert.equal(sourceOf(sender(0, 1), 0), 'kernel');
  assert.equal(sourceOf(sender(4711, 2), 0), 'udevd');
  for (const [port, groups, user] of [
    // Another process in the group of the kernel, and the kernel in that of udevd.
    [4711, 1, 0],
    [0, 2, 0],
    // To this socket alone.
    [4711, 0, 0],
    [0, 0, 0],
    // Another user, and a message without credentials.
    [4711, 2, 1000],
    [0, 1, 65_534],
    [4711, 2, undefined],
    [4711, 3, 0],
  ] as const)
    assert.equal(sourceOf(sender(port, groups), user), undefined, `${port} ${groups} ${user}`);
});

test('the kernel reports links, in their order, and a message of another process is ignored', {
  skip: noOwnNamespace,
}, async () => {
  enterOwnNamespace();
  const calls = await loadNativeCalls();
  const events: DeviceEvent[] = [];
  const errors: unknown[] = [];
  using _socket = openEventSocket(calls, {
    onEvent: (event) => events.push(event),
    onLost: () => errors.push('lost'),
    onError: (error) => errors.push(error),
  });
  // Sent to the group of udevd, but it has another format; and to the group of the kernel, from a process.
  const forged = calls.socket(16, 3, 15);
  calls.sendTo(forged, Buffer.from('libudev\0nonsense'), sender(0, 2));
  const text =
    'add@/devices/virtual/net/forged\0ACTION=add\0DEVPATH=/devices/virtual/net/forged\0SUBSYSTEM=net\0';
  calls.sendTo(forged, Buffer.from(text), sender(0, 1));
  calls.close(forged);
  for (const name of ['veth1', 'veth2']) ip(`link add ${name} type veth peer name ${name}p`);
  ip('link del veth1');
  const shown = () =>
    events
      .filter(({ subsystem }) => subsystem === 'net')
      .map(({ action, path }) => `${action} ${path.slice(path.lastIndexOf('/') + 1)}`);
  await eventually(() => shown().length >= 6, { what: 'six events', explain: () => shown().join() });
  assert.deepEqual(errors, []);
  assert.deepEqual(shown().slice(0, 4).sort(), ['add veth1', 'add veth1p', 'add veth2', 'add veth2p']);
  assert.deepEqual(shown().slice(4).sort(), ['remove veth1', 'remove veth1p']);
});
