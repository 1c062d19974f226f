// A hostile host on the lan of a machine that asks for its address: messages that were mutated from real ones, and a flood of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import {
  decodeMessage,
  dhcpPorts,
  encodeBroadcast,
  encodeMessage,
  etherTypes,
  optionCodes,
} from '@nodewright/dhcp';
import { realMessages, TestServer } from '@nodewright/dhcp/testing';
import { type FrameSocket, loadNativeCalls, openFrameSocket, readLinks } from '@nodewright/linux';
import { openNamespaceOf } from '@nodewright/linux/testing';
import { eventually } from '@nodewright/testkit';
import { type Lan, type LanMachine, openLan, type Running, reasonToSkip } from './open-lan.ts';

const skip = reasonToSkip;
const timeoutMs = 60_000;
const hardware = '02:00:00:00:00:21';
const rogueHardware = '02:00:00:00:00:66';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
let lan: Lan;
let machine: LanMachine;
let running: Running;
let rogue: FrameSocket;
/** The transaction that the machine asks in, which its broadcasts tell everybody. */
let transactionId = 0;
let asked = 0;
/** What the rogue answers; undefined: nothing. */
let server: TestServer | undefined;

before(async () => {
  if (skip) return;
  lan = await openLan(scope);
  machine = await lan.addMachine('machine', hardware);
  const host = await lan.addMachine('rogue', rogueHardware);
  host.ip('link', 'set', 'eth0', 'up');
  // Renewals go to it alone.
  host.ip('addr', 'add', '10.99.0.66/24', 'dev', 'eth0');
  const calls = await loadNativeCalls();
  using namespace = openNamespaceOf(host.pid);
  rogue = scope.use(
    namespace.run(() =>
      openFrameSocket(calls, {
        linkIndex: readLinks(calls).find(({ name }) => name === 'eth0')?.index ?? assert.fail(),
        ...{ etherType: etherTypes.inet4, filter: [], longestBytes: 2048, timers: systemTimers },
        onFrame(frame) {
          if (Buffer.from(frame).readUInt16BE(36) !== dhcpPorts.server) return;
          const message = decodeMessage(frame.subarray(42));
          transactionId = message.transactionId;
          asked += 1;
          if (server === undefined) return;
          server.options = new Map([[optionCodes.classlessRoutes, otherRoutes(asked)]]);
          const reply = server.answer(message);
          if (reply !== undefined) send(encodeMessage(reply));
        },
        onError: (error) => assert.fail(String(error)),
      }),
    ),
  );
  running = machine.start();
  await eventually(() => asked > 0, { what: 'a request', timeoutMs, explain: running.text });
});

/** Numbers that look random, and are the same in each run. */
let seed = 1;
const next = (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % below;
};

/** A real message for this transaction, with some bytes overwritten, most of them in its options. */
function mutated(transaction: number): Buffer {
  const kinds = [realMessages.offer, realMessages.ack, realMessages.nak];
  const message = Buffer.from(kinds[next(kinds.length)] ?? assert.fail());
  message.writeUInt32BE(transaction, 4);
  message.write(hardware.replaceAll(':', ''), 28, 'hex');
  for (let count = next(5); count >= 0; count -= 1)
    message[next(6) === 0 ? next(message.length) : 240 + next(message.length - 240)] = next(256);
  return message.subarray(0, next(4) === 0 ? next(message.length) : message.length);
}

const send = (payload: Uint8Array) =>
  rogue.send(
    encodeBroadcast({
      ...{ hardware: rogueHardware, source: '10.77.0.1', payload },
      ...{ sourcePort: dhcpPorts.server, destinationPort: dhcpPorts.client },
    }),
  );
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const memoryMib = () => {
  const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
};
const isRunning = () => running.child.exitCode === null && running.child.signalCode === null;

test('300 mutated replies, and a flood of 20,000 others, leave a machine that asks on', {
  skip,
}, async () => {
  const before = memoryMib();
  for (let count = 0; count < 300; count += 1) {
    send(mutated(transactionId));
    if (count % 10 === 9) await pause(50);
  }
  assert.ok(isRunning(), running.text());
  let refused = 0;
  for (let count = 0; count < 20_000; count += 1) {
    try {
      send(mutated(count));
    } catch (error) {
      if (!['ENOBUFS', 'EAGAIN'].includes((error as { code?: string }).code ?? '')) throw error;
      refused += 1;
    }
    if (count % 100 === 99) await pause(5);
  }
  assert.ok(refused < 10_000, `the kernel refused ${refused}`);
  await pause(1500);
  assert.ok(isRunning(), running.text());
  const grownMib = memoryMib() - before;
  process.stdout.write(`memory after the flood: ${grownMib.toFixed(1)} MiB more\n`);
  assert.ok(grownMib < 64, `${grownMib} MiB`);
  assert.ok(running.text().split('\n').length < 100, 'a hostile host fills the log');
});

/** Routes through the broadcast address, through the machine itself and through a host, to networks that differ with each number. */
function otherRoutes(number: number): Uint8Array {
  const gateways = [255, 60, 66];
  const routes = Array.from({ length: 30 }, (_, index) => [
    ...[24, 11 + (number % 90), number % 256, index],
    ...[10, 99, 0, gateways[index % gateways.length] ?? assert.fail()],
  ]);
  return Uint8Array.from(routes.flat());
}

test('a server that sends thirty other routes with each renewal changes them once a minute, and fills no log', {
  skip,
}, async () => {
  const linesBefore = running.text().split('\n').length;
  const explain = running.text;
  server = new TestServer({ id: '10.99.0.66', addresses: ['10.99.0.60'], leaseSeconds: 10 });
  // A machine that nobody answers asks once a minute; one whose cable is put back asks at once.
  for (const state of ['down', 'up']) lan.ip('link', 'set', machine.port, state);
  await eventually(() => machine.addresses().length === 1, {
    what: 'an address',
    timeoutMs: 90_000,
    explain,
  });
  const routes = () => machine.ip('route').match(/^\S+ via 10\.99\.0\.66 /gm) ?? [];
  await eventually(() => routes().length === 10, { what: 'the routes through a host', timeoutMs, explain });
  const askedBefore = asked;
  const first = routes();
  await eventually(() => asked >= askedBefore + 4, { what: 'four renewals', timeoutMs, explain });
  assert.deepEqual(routes(), first);
  assert.ok(running.text().split('\n').length - linesBefore < 30, running.text());
  server = undefined;
  await eventually(() => machine.addresses().length === 0, {
    what: 'the end of the lease',
    timeoutMs,
    explain,
  });
});

test('after the attack, and a hundred pulls of its cable, the machine gets an address from an honest server', {
  skip,
}, async () => {
  const server = await lan.serve('honest', '10.99.0.50,10.99.0.59,2m');
  const explain = () => `${running.text()}\n${server.text()}`;
  // A machine that nobody answers asks once a minute; one whose cable is put back asks at once, whatever the cable did before.
  for (let count = 0; count < 100; count += 1)
    for (const state of ['down', 'up']) lan.ip('link', 'set', machine.port, state);
  await eventually(() => machine.addresses().length === 1, {
    what: 'an address',
    timeoutMs: 90_000,
    explain,
  });
});
