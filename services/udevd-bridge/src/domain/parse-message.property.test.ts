// Any process of the network namespace may send to the socket, so the parsers get arbitrary and damaged messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DeviceEvent } from './device-event.ts';
import { isDevicePath, parseKernelMessage, parseMonitorMessage, parseProperties } from './parse-message.ts';

const properties: Readonly<Record<string, string>> = {
  ACTION: 'add',
  DEVPATH: '/devices/virtual/net/veth0',
  SUBSYSTEM: 'net',
  INTERFACE: 'veth0',
  IFINDEX: '7',
  SEQNUM: '4711',
};

const block = (facts: Readonly<Record<string, string>>) =>
  Buffer.from(
    Object.entries(facts)
      .map(([key, value]) => `${key}=${value}\0`)
      .join(''),
  );
const kernelMessage = (facts = properties, head = `${facts.ACTION}@${facts.DEVPATH}`) =>
  Buffer.concat([Buffer.from(`${head}\0`), block(facts)]);

/** As systemd's device-monitor.c writes it; the hashes are of no use to a receiver. */
function monitorMessage(
  facts = properties,
  { magic = 0xfeedcafe, header = 40, length = undefined as number | undefined } = {},
) {
  const body = block(facts);
  const bytes = Buffer.alloc(header);
  bytes.write('libudev\0', 'latin1');
  bytes.writeUInt32BE(magic, 8);
  bytes.writeUInt32LE(header, 12);
  bytes.writeUInt32LE(header, 16);
  bytes.writeUInt32LE(length ?? body.length, 20);
  return Buffer.concat([bytes, body]);
}

const shown = (event: DeviceEvent | undefined) =>
  event && { ...event, properties: Object.fromEntries(parseProperties(event.properties) ?? []) };
const expected = { action: 'add', path: '/devices/virtual/net/veth0', subsystem: 'net', properties };

test('messages of the kernel and of udevd have the same event', () => {
  assert.deepEqual(shown(parseKernelMessage(kernelMessage())), { source: 'kernel', ...expected });
  assert.deepEqual(shown(parseMonitorMessage(monitorMessage())), { source: 'udevd', ...expected });
  // A later libudev may have a longer header.
  assert.deepEqual(shown(parseMonitorMessage(monitorMessage(properties, { header: 48 }))), {
    source: 'udevd',
    ...expected,
  });
});

test('messages that contradict themselves are no events', () => {
  for (const facts of [
    { ...properties, ACTION: 'explode' },
    { ...properties, DEVPATH: '/devices/../../etc/shadow' },
    { ...properties, DEVPATH: 'devices/x' },
    { ...properties, SUBSYSTEM: '' },
    { ...properties, SUBSYSTEM: 's'.repeat(2000) },
  ]) {
    assert.equal(parseKernelMessage(kernelMessage(facts)), undefined);
    assert.equal(parseMonitorMessage(monitorMessage(facts)), undefined);
  }
  assert.equal(parseKernelMessage(kernelMessage(properties, 'remove@/devices/virtual/net/veth0')), undefined);
  assert.equal(parseKernelMessage(kernelMessage(properties, 'add/devices/virtual/net/veth0')), undefined);
  assert.equal(parseKernelMessage(Buffer.from('libudev\0')), undefined);
  assert.equal(parseMonitorMessage(monitorMessage(properties, { magic: 0xcafefeed })), undefined);
  assert.equal(parseMonitorMessage(monitorMessage(properties, { length: 0xffffffff })), undefined);
  assert.equal(parseMonitorMessage(monitorMessage().subarray(0, 39)), undefined);
  assert.equal(parseMonitorMessage(kernelMessage()), undefined);
  // A last property without its end was cut off.
  assert.equal(
    parseMonitorMessage(monitorMessage(properties, { length: block(properties).length - 1 })),
    undefined,
  );
});

test('an event keeps nothing of the buffer in which its message arrived', () => {
  const message = kernelMessage();
  const event = parseKernelMessage(message);
  message.fill(0);
  assert.deepEqual(shown(event), { source: 'kernel', ...expected });
});

test('arbitrary bytes give an event with a safe path, or none, and never an error', () => {
  const judge = (event: DeviceEvent | undefined) => {
    if (event === undefined) return;
    assert.ok(isDevicePath(event.path) && !event.path.includes('..'.padEnd(3, '/')));
    assert.ok(event.subsystem.length > 0);
    assert.ok(parseProperties(event.properties) !== undefined);
  };
  const damaged = fc
    .tuple(
      fc.constantFrom(kernelMessage(), monitorMessage()),
      fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 }),
      fc.nat(400),
    )
    .map(([message, changes, cut]) => {
      const bytes = Buffer.from(message);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return bytes.subarray(0, Math.max(0, bytes.length - (cut % 40)));
    });
  fc.assert(
    fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: 300 }).map(Buffer.from)), (bytes) => {
      judge(parseKernelMessage(bytes));
      judge(parseMonitorMessage(bytes));
    }),
    { numRuns: 5000 },
  );
});
