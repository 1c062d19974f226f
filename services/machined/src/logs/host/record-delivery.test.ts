import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { LogStore } from '@nodewright/services/logs';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { logDestinationFromUrl } from '../domain/log-destination.ts';
import { createRecordDelivery } from './record-delivery.ts';
import { type LogPositions, openServiceLogSource } from './service-log-source.ts';

interface Received {
  readonly msg: string;
  readonly 'talos-service': string;
  readonly tag?: string;
}

const until = (condition: () => boolean) =>
  eventually(condition, { what: `holding of ${condition}`, pollMs: 5 });

/** Waits until this process has read the end of each connection that a receiver has closed. */
async function readEnds(): Promise<void> {
  await sleep(50);
  await setImmediate();
}

/** Starts a receiver of lines over TCP. */
async function openTcpReceiver(port = 0) {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let rest = '';
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) received.push(JSON.parse(line));
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    received,
    sockets,
    port: bound,
    url: `tcp://127.0.0.1:${bound}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function openDelivery() {
  const lines: string[] = [];
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: { write: (line) => lines.push(line) },
  });
  const store = new LogStore();
  const positions: LogPositions = new Map();
  const delivery = createRecordDelivery({
    openSource: ({ extraTags }) => openServiceLogSource(store, positions, extraTags, Date.now),
    log,
    drainTimeoutMs: 500,
  });
  const messages = () => lines.map((line) => JSON.parse(line).msg as string);
  return { store, delivery, messages, [Symbol.asyncDispose]: () => delivery[Symbol.asyncDispose]() };
}

const messagesOf = ({ received }: { received: readonly Received[] }) => received.map(({ msg }) => msg);

test('10,000 lines of a log arrive in order over TCP', async () => {
  await using receiver = await openTcpReceiver();
  await using own = openDelivery();
  await own.delivery.setDestinations([logDestinationFromUrl(receiver.url)]);
  const wanted = Array.from({ length: 10_000 }, (_, number) => `line ${number}`);
  const log = own.store.open('apid');
  for (let at = 0; at < wanted.length; at += 500) {
    log.write(`${wanted.slice(at, at + 500).join('\n')}\n`);
    await sleep(1);
  }
  await until(() => receiver.received.length >= wanted.length);
  assert.deepEqual(messagesOf(receiver), wanted);
  assert.equal(receiver.sockets.size, 1);
});

test('lines wait for the first destination, and a new destination starts where the last one ended', async () => {
  await using first = await openTcpReceiver();
  await using second = await openTcpReceiver();
  await using own = openDelivery();
  const log = own.store.open('apid');
  log.write('before\n');
  await own.delivery.setDestinations([logDestinationFromUrl(first.url, { tag: 'a' })]);
  await until(() => first.received.length === 1);
  await own.delivery.setDestinations([]);
  log.write('between\n');
  own.store.open('trustd').write('other\n');
  await own.delivery.setDestinations([logDestinationFromUrl(second.url, { tag: 'b' })]);
  await until(() => second.received.length === 2);
  log.write('after\n');
  await until(() => second.received.length === 3);
  assert.deepEqual(
    first.received.map(({ msg, tag }) => [msg, tag]),
    [['before', 'a']],
  );
  assert.deepEqual(
    second.received.map((each) => [each['talos-service'], each.msg, each.tag]),
    [
      ['apid', 'between', 'b'],
      ['trustd', 'other', 'b'],
      ['apid', 'after', 'b'],
    ],
  );
});

test('a receiver that stops and returns receives the lines written in between', async () => {
  await using own = openDelivery();
  const log = own.store.open('apid');
  let port = 0;
  {
    await using receiver = await openTcpReceiver();
    port = receiver.port;
    await own.delivery.setDestinations([logDestinationFromUrl(receiver.url)]);
    log.write('one\n');
    await until(() => receiver.received.length === 1);
  }
  await readEnds();
  log.write('two\nthree\n');
  await until(() => own.messages().length === 1);
  await using again = await openTcpReceiver(port);
  await until(() => again.received.length === 2);
  log.write('four\n');
  await until(() => again.received.length === 3);
  assert.deepEqual(messagesOf(again), ['two', 'three', 'four']);
  assert.deepEqual(own.messages(), [
    'log destination accepts no records',
    'log destination accepts records again',
  ]);
});

test('a destination that accepts nothing neither delays other destinations nor uses much CPU time', async () => {
  await using stuck = await openTcpReceiver();
  await using receiver = await openTcpReceiver();
  await using own = openDelivery();
  const closed = logDestinationFromUrl('tcp://127.0.0.1:1');
  const destinations = [stuck.url, receiver.url].map((url) => logDestinationFromUrl(url));
  await own.delivery.setDestinations([...destinations, closed]);
  const log = own.store.open('apid');
  log.write('first\n');
  await until(() => stuck.sockets.size === 1);
  for (const socket of stuck.sockets) socket.pause();
  // 20 MB, which is more than the kernel keeps for the receiver that reads nothing.
  const line = `${'x'.repeat(4999)}\n`;
  for (let count = 1; count <= 4000; count++) {
    log.write(line);
    if (count % 100 === 0) await until(() => receiver.received.length > count);
  }
  const before = process.cpuUsage();
  await sleep(500);
  const { user, system } = process.cpuUsage(before);
  // A loop without a pause would use most of a processor.
  assert.ok(user + system < 250_000, `${user + system} us of CPU in 500 ms`);
});

test('disposing the delivery sends all pending records', async () => {
  await using receiver = await openTcpReceiver();
  {
    await using own = openDelivery();
    await own.delivery.setDestinations([logDestinationFromUrl(receiver.url)]);
    own.store.open('apid').write('one\ntwo\nno line break');
  }
  await until(() => receiver.received.length === 3);
  assert.deepEqual(messagesOf(receiver), ['one', 'two', 'no line break']);
});

test('disposing the delivery does not wait for an unreachable destination', {
  timeout: 120_000,
}, async () => {
  const own = openDelivery();
  await own.delivery.setDestinations([logDestinationFromUrl('tcp://127.0.0.1:1')]);
  own.store.open('apid').write('one\n');
  await until(() => own.messages().length === 1);
  await own[Symbol.asyncDispose]();
});

/** Starts a receiver of datagrams. */
async function openUdpReceiver(port = 0) {
  const socket = createSocket('udp4');
  const received: string[] = [];
  socket.on('message', (message) => received.push(message.toString()));
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    received,
    messages: () => received.map((text) => (JSON.parse(text) as Received).msg),
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

test('records are sent over UDP as datagrams, and those that are too large are dropped', async () => {
  await using receiver = await openUdpReceiver();
  await using own = openDelivery();
  await own.delivery.setDestinations([logDestinationFromUrl(`udp://127.0.0.1:${receiver.port}`)]);
  own.store.open('apid').write(`one\n${'"'.repeat(40_000)}\ntwo\n`);
  await until(() => receiver.received.length === 2);
  assert.deepEqual(receiver.messages(), ['one', 'two']);
  assert.equal(receiver.received[0]?.endsWith('\n'), false);
});

test('records wait for a UDP receiver that has stopped, except the first one sent after the stop', async () => {
  await using own = openDelivery();
  const log = own.store.open('apid');
  let port = 0;
  {
    await using receiver = await openUdpReceiver();
    port = receiver.port;
    await own.delivery.setDestinations([logDestinationFromUrl(`udp://127.0.0.1:${port}`)]);
    log.write('one\n');
    await until(() => receiver.received.length === 1);
  }
  log.write('lost\n');
  await readEnds();
  log.write('two\nthree\n');
  await until(() => own.messages().length === 1);
  await using again = await openUdpReceiver(port);
  await until(() => again.received.length >= 2);
  assert.deepEqual(again.messages(), ['two', 'three']);
});
