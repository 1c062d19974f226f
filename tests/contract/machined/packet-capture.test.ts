// PacketCapture, live on the loopback device.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  MachineServiceDefinition,
  type PacketCaptureRequest,
} from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { ownAddress, startNode } from './harness/node-under-test.ts';

const skip = process.getuid?.() === 0 ? false : 'capturing packets needs CAP_NET_RAW: run as root';
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const node = scope.use(await startNode());
const machine = node.client(MachineServiceDefinition, 'os:operator');

const address = ownAddress();
const receiver = createSocket('udp4').bind(0, address);
await once(receiver, 'listening');
const sender = createSocket('udp4');
scope.defer(() => {
  receiver.close();
  sender.close();
});
const { port } = receiver.address();
const headerBytes = 14 + 20 + 8;

/** UDP to this port, as `tcpdump -dd 'udp dst port N'` prints it. */
const toPort = [
  [0x28, 0, 0, 12],
  [0x15, 0, 8, 0x800],
  [0x30, 0, 0, 23],
  [0x15, 0, 6, 17],
  [0x28, 0, 0, 20],
  [0x45, 4, 0, 0x1fff],
  [0xb1, 0, 0, 14],
  [0x48, 0, 0, 16],
  [0x15, 0, 1, port],
  [0x06, 0, 0, 262_144],
  [0x06, 0, 0, 0],
].map(([op = 0, jt = 0, jf = 0, k = 0]) => ({ op, jt, jf, k }));

/** A running capture that collects its messages. */
function capture(request: Partial<PacketCaptureRequest>) {
  const stop = new AbortController();
  const messages: Buffer[] = [];
  const ended = (async () => {
    for await (const { bytes } of machine.packetCapture(
      { interface: 'lo', bpfFilter: toPort, ...request },
      { signal: stop.signal },
    )) {
      messages.push(Buffer.from(bytes));
    }
  })();
  ended.catch(() => {});
  return { stop, messages, ended };
}
const started = (messages: readonly Buffer[]) => eventually(() => messages.length > 0, { what: 'header' });
const send = (size: number, to = port) =>
  new Promise<void>((resolve) => void sender.send(Buffer.alloc(size, size), to, address, () => resolve()));

const packetSockets = () =>
  readFileSync(`/proc/${node.machined.pid}/net/packet`, 'utf8').trim().split('\n').length - 1;

test('PacketCapture streams pcap: the header, then two messages per packet, complete whatever the snap length', {
  skip,
}, async () => {
  const { stop, messages, ended } = capture({ snapLen: 64 });
  await started(messages);
  assert.equal(messages[0]?.toString('hex'), `4d3cb2a1020004000000000000000000${'40000000'}01000000`);
  const sizes = [0, 1, 1400, 20_000];
  for (const size of sizes) {
    await send(size);
    await send(size, port === 65_535 ? port - 1 : port + 1);
  }
  await eventually(() => messages.length >= 1 + 2 * sizes.length, { what: 'packets' });
  await sleep(150);
  stop.abort();
  await assert.rejects(ended, { name: 'AbortError' });
  const records = messages.slice(1);
  assert.deepEqual(
    records.map(({ length }) => length),
    sizes.flatMap((size) => [16, size + headerBytes]),
  );
  for (const [index, size] of sizes.entries()) {
    const head = records[2 * index] as Buffer;
    assert.deepEqual([head.readUInt32LE(8), head.readUInt32LE(12)], [size + headerBytes, size + headerBytes]);
    assert.ok(Math.abs(head.readUInt32LE(0) - Date.now() / 1000) < 60 && head.readUInt32LE(4) < 1e9);
    const packet = records[2 * index + 1] as Buffer;
    assert.equal(packet.readUInt16BE(36), port);
    assert.ok(packet.subarray(headerBytes).equals(Buffer.alloc(size, size)));
  }
});

test('PacketCapture without a filter takes everything, and a snap length of 0 means 4096', {
  skip,
}, async () => {
  const { stop, messages } = capture({ bpfFilter: [] });
  await started(messages);
  assert.equal(messages[0]?.readUInt32LE(16), 4096);
  await send(7);
  await eventually(() => messages.some(({ length }) => length === 7 + headerBytes), { what: 'packet' });
  stop.abort();
});

test('PacketCapture closes its socket when it is cancelled', { skip }, async () => {
  await eventually(() => packetSockets() === 0, { what: 'sockets of earlier tests closed' });
  const captures = [capture({}), capture({})];
  for (const { messages } of captures) await started(messages);
  assert.equal(packetSockets(), 2);
  for (const { stop } of captures) stop.abort();
  await eventually(() => packetSockets() === 0, { what: 'sockets closed' });
});

test("PacketCapture does not fill machined's memory when its reader does not read", {
  skip,
}, async () => {
  const stop = new AbortController();
  const stream = machine.packetCapture({ interface: 'lo', bpfFilter: toPort }, { signal: stop.signal });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  const resident = () =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${node.machined.pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = resident();
  for (let round = 0; round < 20; round += 1) {
    for (let count = 0; count < 50; count += 1) await send(60_000);
    await sleep(20);
  }
  const grown = resident() - before;
  stop.abort();
  assert.ok(grown < 40, `60 MB passed, and machined grew by ${grown} MiB`);
  await eventually(async () => (await node.log('machined')).includes('packets were lost for want of room'), {
    what: 'line that tells of lost packets',
  });
});

test('PacketCapture refuses invalid requests, each with its reason', { skip }, async () => {
  const returnAll = { op: 6, jt: 0, jf: 0, k: 1 };
  const rows: [Partial<PacketCaptureRequest>, number, string][] = [
    [{ interface: '' }, 5, 'interface "" not found'],
    [{ interface: '../lo' }, 5, 'interface "../lo" not found'],
    [{ interface: 'no-such0' }, 5, 'interface "no-such0" not found'],
    [
      { bpfFilter: Array(4097).fill(returnAll) },
      3,
      'bpf filter: 4097 instructions are more than the 4096 that the kernel takes',
    ],
    [
      { bpfFilter: [{ op: 0x15, jt: 9, jf: 0, k: 0 }, returnAll] },
      3,
      'bpf filter: instruction 0 jumps over 9 instructions, past the end of the program',
    ],
    [
      { bpfFilter: [{ op: 0xffe0, jt: 0, jf: 0, k: 0 }, returnAll] },
      3,
      'the kernel refuses the filter of 2 instructions',
    ],
    [
      { promiscuous: true },
      9,
      'promiscuous mode would change interface "lo" of the host, which a node of processes never does: leave it out',
    ],
  ];
  for (const [request, code, details] of rows)
    await assert.rejects(capture(request).ended, { code, details });
  await eventually(() => packetSockets() === 0, { what: 'sockets closed' });
});

test('PacketCapture is for operators, not for readers', async () => {
  const reader = node.client(MachineServiceDefinition, 'os:reader');
  await assert.rejects(
    (async () => {
      for await (const _ of reader.packetCapture({ interface: 'lo' }));
    })(),
    { code: 7, details: 'not authorized' },
  );
});

test('PacketCapture ends when the node stops', { skip }, async () => {
  await using second = await startNode();
  const client = second.client(MachineServiceDefinition, 'os:admin');
  let messages = 0;
  const ended = (async () => {
    for await (const _ of client.packetCapture({ interface: 'lo', bpfFilter: toPort })) messages += 1;
  })().catch((error: unknown) => error);
  await eventually(() => messages > 0, { what: 'header' });
  second.machined.signal('SIGTERM');
  await ended;
  assert.deepEqual(await second.machined.exited, { code: 0, signal: null });
});
