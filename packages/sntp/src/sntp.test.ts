// Client and server against each other over loopback UDP, and each against a misbehaving peer.
import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { decodeNtpPacket, encodeNtpPacket, type NtpPacket, referenceIdFromText } from './ntp-packet.ts';
import { ntpFromUnixMs } from './ntp-time.ts';
import { querySntp } from './query-sntp.ts';
import { createSntpServer } from './sntp-server.ts';
import { systemWallClock } from './wall-clock.ts';

const address = '127.0.0.1';

async function openSocket(
  onRequest?: (request: NtpPacket, answer: (bytes: Uint8Array) => void) => void,
): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (bytes, sender) =>
    onRequest?.(decodeNtpPacket(bytes), (reply) => socket.send(reply, sender.port, sender.address)),
  );
  socket.bind(0, address);
  await once(socket, 'listening');
  return socket;
}

const serverOf = (socket: Socket) => `${address}:${socket.address().port}`;

function goodReply(request: NtpPacket): NtpPacket {
  const now = ntpFromUnixMs(Date.now());
  return {
    ...request,
    mode: 4,
    stratum: 2,
    originTime: request.transmitTime,
    receiveTime: now,
    transmitTime: now,
  };
}

function isFault(kind: string, text: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, text);
    return true;
  };
}

test("querySntp() measures the offset of a server's clock", async () => {
  const ahead = { now: () => systemWallClock.now() + 90_000 };
  await using server = await createSntpServer({ address, port: 0, clock: ahead });
  const answer = await querySntp({ server: `${address}:${server.port}`, timeoutMs: 60_000 });
  // The split of the round trip between the two directions is unknown.
  const mostMs = answer.roundTripMs / 2 + 5;
  assert.ok(Math.abs(answer.offsetMs - 90_000) < mostMs, `${answer.offsetMs} ± ${mostMs}`);
  assert.equal(answer.remoteTimeMs, answer.localTimeMs + answer.offsetMs);
  assert.ok(answer.roundTripMs < 2000);
  assert.deepEqual([answer.stratum, answer.leap, answer.port], [10, 0, server.port]);
});

test('querySntp() resolves names', async () => {
  await using server = await createSntpServer({ address, port: 0, stratum: 1 });
  const answer = await querySntp({ server: `localhost:${server.port}`, timeoutMs: 60_000 });
  assert.deepEqual([answer.address, answer.stratum], [address, 1]);
});

test('querySntp() ignores short, foreign and forged packets and waits for the real reply', async () => {
  await using socket = await openSocket((request, answer) => {
    answer(new Uint8Array(3));
    answer(encodeNtpPacket({ ...goodReply(request), originTime: request.transmitTime ^ 1n }));
    answer(encodeNtpPacket({ ...goodReply(request), mode: 5 }));
    answer(encodeNtpPacket({ ...goodReply(request), stratum: 7 }));
  });
  assert.equal((await querySntp({ server: serverOf(socket), timeoutMs: 60_000 })).stratum, 7);
});

test('querySntp() names a server without a reply and how long it waited', async () => {
  await using socket = await openSocket();
  const server = serverOf(socket);
  await assert.rejects(
    querySntp({ server, timeoutMs: 60 }),
    isFault('deadline-exceeded', new RegExp(`^time server "${server}": no answer \\(after \\d+ ms\\)$`)),
  );
});

test('querySntp() fails at once when the port is closed', async () => {
  const socket = await openSocket();
  const server = serverOf(socket);
  await socket[Symbol.asyncDispose]();
  await assert.rejects(
    querySntp({ server, timeoutMs: 600_000 }),
    isFault('unavailable', /^time server .*ECONNREFUSED/),
  );
});

test('querySntp() reports why a server cannot be used', async () => {
  await using server = await createSntpServer({ address, port: 0, leap: 3 });
  await assert.rejects(
    querySntp({ server: `${address}:${server.port}`, timeoutMs: 60_000 }),
    isFault('unavailable', /its clock is not set/),
  );
  await using socket = await openSocket((request, answer) =>
    answer(encodeNtpPacket({ ...goodReply(request), stratum: 0, referenceId: referenceIdFromText('DENY') })),
  );
  await assert.rejects(
    querySntp({ server: serverOf(socket), timeoutMs: 60_000 }),
    isFault('unavailable', /kiss of death DENY/),
  );
});

test('querySntp() stops when its signal aborts', async () => {
  await using socket = await openSocket();
  const controller = new AbortController();
  const question = querySntp({ server: serverOf(socket), timeoutMs: 60_000, signal: controller.signal });
  controller.abort();
  await assert.rejects(question, isFault('cancelled', /was cancelled/));
});

test('createSntpServer() replies to clients of versions 1 to 4 only', async () => {
  await using server = await createSntpServer({ address, port: 0 });
  await using client = await openSocket();
  const answers: number[] = [];
  client.removeAllListeners('message');
  client.on('message', (bytes) => answers.push(decodeNtpPacket(bytes).version));
  const request = (change: Partial<NtpPacket>) => ({
    ...goodReply({ transmitTime: 9n } as NtpPacket),
    mode: 3,
    leap: 0,
    poll: 0,
    precision: 0,
    rootDelay: 0,
    rootDispersion: 0,
    referenceId: 0,
    referenceTime: 0n,
    version: 4,
    ...change,
  });
  const packets = [
    new Uint8Array(47),
    encodeNtpPacket(request({ mode: 4 })),
    encodeNtpPacket(request({ version: 0 })),
    encodeNtpPacket(request({ version: 7 })),
    ...[1, 2, 3, 4].map((version) => encodeNtpPacket(request({ version }))),
  ];
  for (const packet of packets) client.send(packet, server.port, address);
  while (answers.length < 4) await once(client, 'message');
  assert.deepEqual(answers, [1, 2, 3, 4]);
});

test('createSntpServer() names an address that is in use', async () => {
  await using server = await createSntpServer({ address, port: 0 });
  await assert.rejects(
    createSntpServer({ address, port: server.port }),
    isFault('unknown', new RegExp(`"${address}" port ${server.port}: .*EADDRINUSE`)),
  );
});
