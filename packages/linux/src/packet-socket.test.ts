// Packets on the loopback device of this machine.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { after, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { capabilities, hasCapability } from './effective-capabilities.ts';
import { loadNativeCalls, SystemCallError } from './native-calls.ts';
import { readNetworkLink } from './network-link.ts';
import type { CapturedPacket } from './packet-ring.ts';
import { openPacketSocket, type PacketSocket } from './packet-socket.ts';
import type { FilterInstruction } from './socket-filter.ts';

const skip = hasCapability(capabilities.netRaw) ? false : 'capturing packets needs CAP_NET_RAW: run as root';
const calls = await loadNativeCalls();
const loopback = readNetworkLink('lo');
const address = '127.77.1.9';
const sender = createSocket('udp4');
const receiver = createSocket('udp4').bind(0, address);
await once(receiver, 'listening');
const { port } = receiver.address();
after(() => {
  sender.close();
  receiver.close();
});

/** UDP over IPv4 over Ethernet to this port: what `tcpdump -dd 'udp dst port N'` prints. */
const toPort: readonly FilterInstruction[] = [
  { op: 0x28, jt: 0, jf: 0, k: 12 },
  { op: 0x15, jt: 0, jf: 8, k: 0x800 },
  { op: 0x30, jt: 0, jf: 0, k: 23 },
  { op: 0x15, jt: 0, jf: 6, k: 17 },
  { op: 0x28, jt: 0, jf: 0, k: 20 },
  { op: 0x45, jt: 4, jf: 0, k: 0x1fff },
  { op: 0xb1, jt: 0, jf: 0, k: 14 },
  { op: 0x48, jt: 0, jf: 0, k: 16 },
  { op: 0x15, jt: 0, jf: 1, k: port },
  { op: 0x06, jt: 0, jf: 0, k: 262_144 },
  { op: 0x06, jt: 0, jf: 0, k: 0 },
];
const headerBytes = 14 + 20 + 8;

const listen = (filter: readonly FilterInstruction[] = toPort) =>
  openPacketSocket(calls, { linkIndex: loopback.index, onlyReceived: true, promiscuous: false, filter });

async function collect(socket: PacketSocket, count: number): Promise<CapturedPacket[]> {
  const packets: CapturedPacket[] = [];
  await eventually(
    () => {
      packets.push(...(socket.take() ?? []));
      return packets.length >= count;
    },
    { what: `${count} packets`, explain: () => `${packets.length} came` },
  );
  return packets;
}

test('a packet socket delivers the packets that match the filter once, in order, complete and with their time', {
  skip,
}, async () => {
  using socket = listen();
  const sizes = [1, 100, 1400, 60_000];
  for (const size of sizes) {
    sender.send(Buffer.alloc(size, size), port, address);
    sender.send(Buffer.alloc(size), port + 1 > 65_535 ? port - 1 : port + 1, address);
  }
  const packets = await collect(socket, sizes.length);
  assert.deepEqual(
    packets.map(({ data, lengthBytes }) => [data.length, lengthBytes]),
    sizes.map((size) => [size + headerBytes, size + headerBytes]),
  );
  assert.deepEqual(packets[1]?.data.subarray(headerBytes), Buffer.alloc(100, 100));
  for (const { seconds, nanoseconds } of packets) {
    assert.ok(Math.abs(seconds - Date.now() / 1000) < 60 && nanoseconds < 1e9);
  }
  assert.deepEqual(socket.takeStatistics(), { passed: sizes.length, lost: 0 });
});

test('a packet socket counts dropped packets, and continues after them', { skip }, async () => {
  using socket = listen();
  const payload = Buffer.alloc(60_000);
  // More than twice what the kernel buffers, without a reader.
  for (let count = 0; count < 160; count += 1) {
    await new Promise<void>((resolve) => void sender.send(payload, port, address, () => resolve()));
  }
  const { passed, lost } = socket.takeStatistics();
  assert.ok(passed >= 150 && lost > 0, `${passed} passed, ${lost} lost`);
  const kept = await collect(socket, passed - lost);
  assert.equal(kept.length, passed - lost);
  sender.send(Buffer.alloc(5), port, address);
  assert.equal((await collect(socket, 1)).at(-1)?.data.length, 5 + headerBytes);
});

test('a closed packet socket is gone from the kernel, and delivers nothing', { skip }, async () => {
  const count = () => readFileSync('/proc/self/net/packet', 'utf8').trim().split('\n').length;
  const before = count();
  const socket = listen([]);
  assert.equal(count(), before + 1);
  socket[Symbol.dispose]();
  socket[Symbol.dispose]();
  assert.equal(count(), before);
  assert.equal(socket.take(), undefined);
});

test('a filter that the kernel refuses is an invalid argument', { skip }, () => {
  const isRefused = (error: unknown) =>
    error instanceof Fault &&
    error.kind === 'invalid-argument' &&
    error.message === 'the kernel refuses the filter of 1 instructions';
  // A load without a return after it; an unknown operation.
  for (const op of [0x28, 0xffff]) assert.throws(() => listen([{ op, jt: 0, jf: 0, k: 12 }]), isRefused);
});

test('a failed system call is named with its errno', () => {
  assert.throws(
    () => calls.close(-1),
    (error) => error instanceof SystemCallError && error.message === 'close: EBADF' && error.code === 'EBADF',
  );
});

test('readNetworkLink() finds the loopback device and quotes an unknown name', () => {
  assert.deepEqual(loopback, { name: 'lo', index: 1, hardwareType: 772 });
  for (const name of ['', '.', '..', 'lo/../lo', 'no-such0', 'a name', 'x'.repeat(16)]) {
    assert.throws(
      () => readNetworkLink(name),
      (error) => error instanceof Fault && error.message === `interface ${JSON.stringify(name)} not found`,
    );
  }
});

test('child processes do not inherit descriptors of sockets', { skip }, () => {
  const descriptor = calls.socket(17, 3, 0);
  try {
    assert.match(readlinkSync(`/proc/self/fd/${descriptor}`), /^socket:/);
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    assert.equal(Number.parseInt(flags ?? '0', 8) & 0o2000000, 0o2000000);
  } finally {
    calls.close(descriptor);
  }
});
