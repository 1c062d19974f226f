// Frames between two links in a namespace of the test.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { eventually } from '@nodewright/testkit';
import { type FrameSocket, openFrameSocket } from './frame-socket.ts';
import { loadNativeCalls, type NativeCalls } from './native-calls.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './netlink/own-namespace.ts';
import { readLinks } from './netlink/read-network.ts';
import { openUdpSender } from './udp-sender.ts';

const skip = noOwnNamespace;
const etherType = 0x88b5;
const inet4 = 0x0800;
let calls: NativeCalls;

before(async () => {
  if (skip) return;
  calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  for (const name of ['wire0', 'wire1']) ip(`link set ${name} up`);
  ip('addr add 10.9.8.7/24 dev wire0');
});

/** Passes frames whose first byte of content is even. */
const evenOnly = [
  { op: 0x30, jt: 0, jf: 0, k: 14 },
  { op: 0x45, jt: 1, jf: 0, k: 1 },
  { op: 0x06, jt: 0, jf: 0, k: 0x40000 },
  { op: 0x06, jt: 0, jf: 0, k: 0 },
];

function open(name: string, type = etherType, longestBytes = 200) {
  const frames: Buffer[] = [];
  const errors: unknown[] = [];
  const linkIndex = readLinks(calls).find((link) => link.name === name)?.index ?? assert.fail(name);
  const socket: FrameSocket = openFrameSocket(calls, {
    ...{ linkIndex, etherType: type, filter: type === etherType ? evenOnly : [], longestBytes },
    timers: systemTimers,
    onFrame: (frame) => void frames.push(Buffer.from(frame)),
    onError: (error) => void errors.push(error),
  });
  return { socket, frames, errors, [Symbol.dispose]: () => socket[Symbol.dispose]() };
}

const hardwareAddressOf = (name: string) =>
  readLinks(calls).find((link) => link.name === name)?.hardwareAddress ?? assert.fail(name);
const header = Buffer.from(`ffffffffffff02000000000a${etherType.toString(16)}`, 'hex');
const frameOf = (first: number, length = 50) => Buffer.concat([header, Buffer.alloc(length, first)]);

test('frames of others that the filter passes arrive, and long ones do not', { skip }, async () => {
  using there = open('wire1');
  using here = open('wire0');
  for (const first of [2, 3, 4]) there.socket.send(frameOf(first));
  there.socket.send(frameOf(6, 187));
  there.socket.send(frameOf(8, 186));
  await eventually(() => here.frames.length === 3, { what: 'three frames' });
  assert.deepEqual(here.frames, [frameOf(2), frameOf(4), frameOf(8, 186)]);
  assert.deepEqual([there.frames, here.errors], [[], []]);
});

test('frames to another host do not arrive, although a promiscuous link takes them', { skip }, async () => {
  using there = open('wire1');
  using here = open('wire0');
  ip('link set wire0 promisc on');
  const toAnother = frameOf(2);
  toAnother.write('020000000077', 0, 'hex');
  there.socket.send(toAnother);
  there.socket.send(frameOf(4));
  await eventually(() => here.frames.length > 0, { what: 'a frame' });
  ip('link set wire0 promisc off');
  assert.deepEqual(here.frames, [frameOf(4)]);
});

test('a frame of a VLAN that the link does not have does not arrive', { skip }, async () => {
  using there = open('wire1', 0x8100);
  using here = open('wire0');
  there.socket.send(
    Buffer.concat([header.subarray(0, 12), Buffer.from('8100000788b5', 'hex'), Buffer.alloc(50, 2)]),
  );
  using untagged = open('wire1');
  untagged.socket.send(frameOf(4));
  await eventually(() => here.frames.length > 0, { what: 'a frame' });
  assert.deepEqual(here.frames, [frameOf(4)]);
});

test('a flood is read up to a limit each second, and reception goes on after it', { skip }, async () => {
  using there = open('wire1');
  using here = open('wire0');
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < 1500) {
    for (let count = 0; count < 50; count += 1, sent += 1) there.socket.send(frameOf(2));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const seconds = Math.ceil((performance.now() - began) / 1000) + 1;
  assert.ok(sent > 3 * 256 * seconds, `only ${sent} were sent`);
  assert.ok(here.frames.length <= 256 * seconds, `${here.frames.length} of ${sent}`);
  const isLast = (frame: Buffer | undefined) => frame?.equals(frameOf(20)) === true;
  await eventually(
    () => {
      there.socket.send(frameOf(20));
      return isLast(here.frames.at(-1));
    },
    { what: 'a frame after the flood', timeoutMs: 10_000 },
  );
});

test('reception goes on after the link was down', { skip }, async () => {
  using there = open('wire1');
  using here = open('wire0');
  ip('link set wire0 down');
  assert.throws(() => here.socket.send(frameOf(2)), { code: 'ENETDOWN' });
  ip('link set wire0 up');
  await eventually(
    () => {
      there.socket.send(frameOf(4));
      return here.frames.length > 0;
    },
    { what: 'a frame' },
  );
  assert.deepEqual(here.errors, []);
});

test('a socket that is closed is gone, also while a flood makes it pause', { skip }, async () => {
  using there = open('wire1');
  const here = open('wire0');
  for (let count = 0; count < 1000; count += 1) there.socket.send(frameOf(2));
  await eventually(() => here.frames.length >= 256, { what: 'the limit' });
  here.socket[Symbol.dispose]();
  here.socket[Symbol.dispose]();
  const count = here.frames.length;
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.equal(here.frames.length, count);
});

test('a datagram leaves by its link, from its address and port', { skip }, async () => {
  using there = open('wire1', inet4);
  // The kernel forgets it when the link goes down.
  ip(`neigh replace 10.9.8.1 lladdr ${hardwareAddressOf('wire1')} dev wire0`);
  {
    using sender = openUdpSender(calls, { linkName: 'wire0', address: '10.9.8.7', port: 68 });
    sender.send(Buffer.from('hello'), '10.9.8.1', 67);
  }
  await eventually(() => there.frames.length === 1, { what: 'a datagram' });
  const [frame = assert.fail()] = there.frames;
  assert.equal(frame.subarray(26, 38).toString('hex'), '0a0908070a09080100440043');
  assert.equal(frame.subarray(42, 47).toString(), 'hello');
  const failing = [
    [{ linkName: 'wire0', address: '10.9.8.9', port: 68 }, 'EADDRNOTAVAIL'],
    [{ linkName: 'wire9', address: '10.9.8.7', port: 68 }, 'ENODEV'],
  ] as const;
  for (const [init, code] of failing) assert.throws(() => openUdpSender(calls, init), { code });
});
