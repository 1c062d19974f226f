// All TLS connections read into the same memory: it must never show the bytes of one call in another one.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import type { InboundCall } from './call.ts';
import { answerHead } from './conformance/index.ts';
import { gatewayLimits } from './engine.ts';
import { createFrameEngine } from './frame-engine/frame-engine.ts';
import { randomFrom, testSeed } from './frame-engine/testing/seed.ts';
import { messagePrefix } from './message-collector.ts';
import { Pump } from './pump.ts';
import { keptPart, scratch } from './read-blocks.ts';
import { readIntoScratch, writeIsKept } from './read-into-scratch.ts';

const seed = testSeed();
const connections = 8;
const callsPerConnection = 30;
const mostBytes = 150_000;
const smallWindows = { ...gatewayLimits, streamWindowBytes: 65_536, connectionWindowBytes: 131_072 };

const notBefore = new Date(Date.now() - 3_600_000);
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'test', notBefore });
const issued = await issueCertificate({
  ...{ issuer: ca, subject: { commonName: 'gateway' }, dnsNames: ['gateway'], ipAddresses: ['127.0.0.1'] },
  ...{ keyUsage: ['digitalSignature'], extendedKeyUsage: ['serverAuth'], notBefore, lifetimeHours: 24 },
});
const credentials = { cert: issued.certificate, key: tlsPrivateKey(issued.key) };

/** Listens with TLS. Resolves with a function that connects. */
async function listenTls(scope: AsyncDisposableStack, onConnection: (socket: TLSSocket) => void) {
  const server = createTlsServer(credentials, onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.defer(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return async () => {
    const socket = connectTls({ host: '127.0.0.1', port, ca: ca.certificate });
    scope.defer(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
}

test('a TLS connection reads into the scratch, in both roles, and emits nothing', async () => {
  await using scope = new AsyncDisposableStack();
  const read: string[] = [];
  const note = (role: string, socket: TLSSocket) => {
    const isSet = readIntoScratch(socket, (length) =>
      read.push(`${role} ${scratch.toString('latin1', 0, length)}`),
    );
    assert.ok(isSet, 'this version of Node.js has no such properties: see read-into-scratch.ts');
    socket.on('data', () => read.push('emitted'));
  };
  const dial = await listenTls(scope, (socket) => {
    note('server', socket);
    socket.write('hello');
  });
  const client = await dial();
  note('client', client);
  client.write('good day');
  while (read.length < 2) await new Promise(setImmediate);
  assert.deepEqual(read.sort(), ['client hello', 'server good day']);
  // Of this version of Node.js too, the object of a write is found and its bytes are not kept.
  const { write } = (await writeIsKept()) ?? {};
  assert.deepEqual([(write as { buffer?: unknown }).buffer, 'handle' in (write ?? {})], [null, true]);
});

test('what a TLS connection has read before is emitted, and then the rest in order', async () => {
  await using scope = new AsyncDisposableStack();
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
  const received: Buffer[] = [];
  const ended = Promise.withResolvers<void>();
  const dial = await listenTls(scope, (socket) => {
    socket.once('readable', () => {
      // Reads a part of what has arrived, and leaves the rest in the stream.
      received.push(socket.read(10) as Buffer);
      assert.ok(readIntoScratch(socket, (length) => received.push(Buffer.from(scratch.subarray(0, length)))));
      socket.on('data', (chunk: Buffer) => received.push(Buffer.from(chunk)));
      socket.on('end', ended.resolve);
    });
  });
  const client = await dial();
  client.end(bytes);
  await ended.promise;
  assert.ok(Buffer.concat(received).equals(bytes));
});

test('a plain connection is left alone', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  assert.equal(
    readIntoScratch(socket, () => assert.fail('a read')),
    false,
  );
  socket.destroy();
  server.close();
});

test('keptPart() copies what is in the scratch', () => {
  scratch.fill(1);
  const kept = keptPart(scratch.subarray(0, 100), 10, 20);
  scratch.fill(2);
  assert.deepEqual(kept, Buffer.alloc(10, 1));
});

/** The bytes of a call: no other call has the same, wherever one looks. */
function bodyOf(index: number, size: number): Buffer {
  const body = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) body.writeUInt32LE(index * 0x10000 + (at >>> 2), at);
  return body;
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Answers with the digest of the request's message, and reads it in pieces with pauses. */
function answerDigest(call: InboundCall, random: (below: number) => number): void {
  const isSlow = random(2) === 0;
  const chunks: Buffer[] = [];
  call.receive({
    requestData(chunk) {
      chunks.push(Buffer.from(chunk));
      if (!isSlow) return;
      call.pause();
      setTimeout(() => call.resume(), random(4));
    },
    requestEnded: () =>
      call.finish(['grpc-status', '0', 'x-digest', digestOf(Buffer.concat(chunks).subarray(5))]),
    answerDrained() {},
    cancelled() {},
  });
  call.respond(answerHead);
  call.resume();
}

test(`${connections} TLS connections upload at the same time, and each call arrives as it was sent (seed ${seed})`, async () => {
  await using scope = new AsyncDisposableStack();
  const random = randomFrom(seed);
  const engine = createFrameEngine();
  const backend = createServer((socket) => {
    engine.accept(socket, smallWindows, { onCall: (call) => answerDigest(call, random), onError() {} });
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const upstreamSocket = connect((backend.address() as AddressInfo).port, '127.0.0.1');
  const upstream = engine.connect(upstreamSocket, smallWindows);
  scope.defer(() => {
    upstream.destroy();
    backend.close();
  });
  await upstream.ready;
  const dial = await listenTls(scope, (socket) => {
    engine.accept(socket, gatewayLimits, {
      onCall(inbound) {
        const describe = ({ kind }: { kind: string }) => ({ code: 13, message: kind });
        const pump = new Pump({ inbound, maxMessageBytes: mostBytes, describe, onDone() {} });
        pump.start(upstream, inbound.headers);
      },
      onError() {},
    });
  });
  const calls: Promise<void>[] = [];
  for (let connection = 0; connection < connections; connection += 1) {
    const client = engine.connect(await dial(), gatewayLimits);
    scope.defer(() => client.destroy());
    await client.ready;
    for (let call = 0; call < callsPerConnection; call += 1) {
      const index = connection * callsPerConnection + call;
      const body = bodyOf(index, random(3) === 0 ? random(500) : random(mostBytes));
      calls.push(upload(client, body, random));
    }
  }
  await Promise.all(calls);
});

/** Sends a message in parts of any size, and compares the digest that the backend has calculated. */
function upload(
  client: ReturnType<ReturnType<typeof createFrameEngine>['connect']>,
  body: Buffer,
  random: (below: number) => number,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const message = Buffer.concat([messagePrefix(body.length), body]);
  let at = 0;
  const send = () => {
    while (at < message.length) {
      const end = Math.min(message.length, at + 1 + random(random(2) === 0 ? 1000 : 60_000));
      const hasRoom = call?.write(message.subarray(at, end));
      at = end;
      if (!hasRoom) return;
    }
    call?.end();
  };
  const call = client.openCall(
    [
      ...[':method', 'POST', ':scheme', 'https', ':path', '/upload', ':authority', 'gateway'],
      ...['content-type', 'application/grpc', 'te', 'trailers'],
    ],
    {
      answerHeaders() {},
      answerData() {},
      answerEnded(trailers) {
        if (trailers.includes(digestOf(body))) resolve();
        else reject(new Error(`${body.length} bytes arrived as others: ${trailers.join()}`));
      },
      requestDrained: send,
      failed: ({ kind }) => reject(new Error(kind)),
    },
  );
  call?.resume();
  send();
  return promise;
}
