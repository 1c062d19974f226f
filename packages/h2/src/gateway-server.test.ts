import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import type { InboundCall } from './call.ts';
import { answerHead, openRecordedCall, resetBeforeAccept } from './conformance/index.ts';
import { dialTls, tlsCredentials } from './dial-tls.ts';
import { gatewayLimits } from './engine.ts';
import { frameEngine } from './frame-engine/frame-engine.ts';
import { GatewayServer, type GatewayServerInit } from './gateway-server.ts';
import { nodeEngine } from './node-engine/node-engine.ts';

const notBefore = new Date(Date.now() - 3_600_000);
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'test', notBefore });

async function issue(usage: 'serverAuth' | 'clientAuth', lifetimeHours = 24) {
  const { certificate, key } = await issueCertificate({
    issuer: ca,
    subject: { commonName: 'node02' },
    dnsNames: ['node02'],
    ipAddresses: ['127.0.0.1'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: [usage],
    notBefore,
    lifetimeHours,
  });
  return { certificate, key: tlsPrivateKey(key) };
}
const server = await issue('serverAuth');
const client = await issue('clientAuth');

function createServer(changes: Partial<GatewayServerInit<string>> = {}) {
  const refusals: string[] = [];
  const gateway = new GatewayServer<string>({
    engine: nodeEngine,
    limits: gatewayLimits,
    credentials: { ...server, requestClientCertificate: true, clientCas: [ca.certificate] },
    admit: ({ certificate, certificateError }) =>
      certificate === undefined || certificateError !== undefined
        ? { admitted: false, reason: certificateError ?? 'none' }
        : { admitted: true, peer: certificate.subject },
    onCall: (call, peer) => call.respond([...answerHead, 'grpc-status', '0', 'x-peer', peer], true),
    onRefused: (reason) => refusals.push(reason),
    onBroken() {},
    ...changes,
  });
  return { gateway, refusals };
}

async function dial(port: number, changes: object = {}) {
  const init = {
    ...{ addresses: ['127.0.0.1'], port, identity: 'node02' },
    ...{ ...client, acceptedCas: [ca.certificate] },
    ...changes,
  };
  const socket = await dialTls({ ...init, credentials: tlsCredentials(init) }, AbortSignal.timeout(60_000));
  const connection = nodeEngine.connect(socket, gatewayLimits);
  await connection.ready;
  return connection;
}

/** Connects and sends nothing. */
async function openSilent(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('GatewayServer passes calls to onCall with the admitted peer', async () => {
  const { gateway } = createServer();
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const connection = await dial(port);
  const { call, recorder } = openRecordedCall(connection);
  call.end();
  const { headers } = await recorder.done;
  assert.deepEqual([headers?.at(-1), gateway.connectionCount], ['CN=node02', 1]);
  connection.drain();
  await gateway.close(1000);
  assert.equal(gateway.connectionCount, 0);
});

const notForClients = { message: 'GOAWAY INADEQUATE_SECURITY: INVALID_PURPOSE' };

test('GatewayServer passes each admitted connection to onConnection, which may end it', async () => {
  const opened: string[] = [];
  const { gateway } = createServer({
    onConnection(connection, peer) {
      opened.push(peer);
      if (opened.length === 2) connection.destroy();
    },
  });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const kept = await dial(port);
  const ended = await dial(port).catch(() => undefined);
  await ended?.closed;
  await assert.rejects(dial(port, await issue('serverAuth')), notForClients);
  assert.deepEqual([opened, kept.usable], [['CN=node02', 'CN=node02'], true]);
  await gateway.close(0);
});

test('GatewayServer closes connections without calls, on both engines, and keeps those with one', async () => {
  for (const engine of [nodeEngine, frameEngine]) {
    const checks: (() => void)[] = [];
    const { gateway } = createServer({
      engine,
      limits: { ...gatewayLimits, idleMs: 60_000 },
      timers: {
        now: () => 0,
        monotonicMs: () => 0,
        after(_delayMs, check) {
          checks.push(check);
          return { [Symbol.dispose]() {} };
        },
      },
      // The call stays open.
      onCall: (call) => call.respond(answerHead),
    });
    const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
    const [idle, busy] = [await dial(port), await dial(port)];
    const { recorder } = openRecordedCall(busy);
    await recorder.headers;
    for (const check of checks.splice(0)) check();
    await idle.closed;
    while (gateway.connectionCount > 1) await delay(1);
    for (const check of checks.splice(0)) check();
    assert.deepEqual([busy.usable, gateway.connectionCount], [true, 1]);
    await gateway.close(0);
  }
});

test('GatewayServer reads nothing from a refused client', async () => {
  const { gateway, refusals } = createServer({ onCall: () => assert.fail('a call was read') });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const bare = connectTls({ host: '127.0.0.1', port, servername: 'node02', ca: ca.certificate });
  await once(bare, 'secureConnect');
  bare.on('error', () => {});
  bare.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  bare.resume();
  await once(bare, 'close');
  await assert.rejects(dial(port, await issue('serverAuth')), notForClients);
  assert.deepEqual(refusals, ['none', 'INVALID_PURPOSE']);
  await gateway.close(1000);
});

test('GatewayServer sends a refused client the reason', async () => {
  const { gateway } = createServer({ admit: () => ({ admitted: false, reason: 'not today', code: 11 }) });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  await assert.rejects(dial(port), { message: 'GOAWAY ENHANCE_YOUR_CALM: not today' });
  await gateway.close(1000);
});

test('GatewayServer admits clients while many connections never begin their handshake', async () => {
  const { gateway, refusals } = createServer({ handshakes: { inFlight: 3, timeoutMs: 60_000 } });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const silent = await Promise.all(Array.from({ length: 10 }, () => openSilent(port)));
  const connection = await dial(port);
  assert.ok(refusals.length >= 7);
  assert.equal(refusals[0], 'too many TLS handshakes under way');
  connection.destroy();
  for (const socket of silent) socket.destroy();
  await gateway.close(1000);
});

test('GatewayServer limits handshakes after connections that were reset before it accepted them', async () => {
  await using scope = new AsyncDisposableStack();
  const { gateway, refusals } = createServer({
    handshakes: { inFlight: 3, timeoutMs: 60_000 },
    handshakeStarts: { burst: 100, perSecond: 1000, waiting: 100 },
  });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  scope.defer(() => gateway.close(0));
  resetBeforeAccept(port, 40);
  // Connections are accepted in order: those before each of these two have been counted.
  (await dial(port)).destroy();
  for (let opened = 0; opened < 10; opened += 1) {
    const socket = await openSilent(port);
    scope.defer(() => void socket.destroy());
  }
  (await dial(port)).destroy();
  const evictions = refusals.filter((reason) => reason === 'too many TLS handshakes under way');
  assert.ok(evictions.length >= 7, `${evictions.length} of 10 lost their place`);
});

test('GatewayServer makes handshakes one after the other, and survives clients that end while they wait', async () => {
  const { gateway } = createServer({ handshakeStarts: { burst: 1, perSecond: 20, waiting: 9 } });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const first = await dial(port);
  const impatient = connect(port, '127.0.0.1');
  impatient.on('error', () => {});
  await once(impatient, 'connect');
  impatient.resetAndDestroy();
  const begunMs = performance.now();
  const others = await Promise.all(Array.from({ length: 4 }, () => dial(port)));
  // The first of these may begin at once when 50 ms have passed since the handshake before.
  assert.ok(performance.now() - begunMs >= 3 * 50 - 1);
  for (const connection of [first, ...others]) {
    const { call, recorder } = openRecordedCall(connection);
    call.end();
    assert.equal((await recorder.done).headers?.includes('x-peer'), true);
    connection.destroy();
  }
  await gateway.close(1000);
});

test('GatewayServer admits many clients that connect at once, also more than may make their handshake together', async () => {
  const { gateway, refusals } = createServer({ handshakes: { inFlight: 8, timeoutMs: 60_000 } });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const connections = await Promise.all(Array.from({ length: 40 }, () => dial(port)));
  assert.deepEqual(refusals, []);
  for (const connection of connections) connection.destroy();
  await gateway.close(1000);
});

test('GatewayServer closes connections when too many wait for their handshake', async () => {
  const { gateway, refusals } = createServer({ handshakeStarts: { burst: 1, perSecond: 0.001, waiting: 2 } });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const sockets = Array.from({ length: 5 }, () =>
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  );
  // The handshake of the first one has begun, and two wait.
  await Promise.all(sockets.slice(1, 3).map((socket) => socket.closed || once(socket, 'close')));
  assert.deepEqual(refusals, Array(2).fill('too many connections wait for a TLS handshake'));
  assert.deepEqual(
    sockets.map(({ closed }) => closed),
    [false, true, true, false, false],
  );
  await gateway.close(1000);
});

test('GatewayServer ends a connection when validUntilMs has passed', async () => {
  const expired: string[] = [];
  const { gateway } = createServer({
    admit: () => ({ admitted: true, peer: 'peer', validUntilMs: Date.now() + 500 }),
    onExpired: (peer) => expired.push(peer),
  });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const connection = await dial(port);
  await connection.closed;
  assert.deepEqual(expired, ['peer']);
  await gateway.close(1000);
});

test('GatewayServer closes open handshakes at once and other connections at the deadline of close()', async () => {
  const accepted = Promise.withResolvers<InboundCall>();
  const { gateway } = createServer({ onCall: (call) => accepted.resolve(call) });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const mute = connect(port, '127.0.0.1');
  await once(mute, 'connect');
  mute.resume();
  mute.on('error', () => {});
  const muteClosed = once(mute, 'close');
  const connection = await dial(port);
  const { recorder } = openRecordedCall(connection);
  await accepted.promise;

  const start = performance.now();
  const closed = gateway.close(500);
  const first = await Promise.race([muteClosed.then(() => 'handshake'), closed.then(() => 'server')]);
  assert.equal(first, 'handshake', 'a handshake held the server up');
  await closed;
  const tookMs = performance.now() - start;
  assert.ok(tookMs >= 495, `it took ${tookMs} ms`);
  assert.equal((await recorder.done).failure?.kind, 'connection-closed');
});

test('GatewayServer uses new credentials for new handshakes and keeps open connections', async () => {
  const { gateway } = createServer();
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const before = await dial(port);
  const other = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'other',
    notBefore,
  });
  gateway.setCredentials({ ...server, requestClientCertificate: true, clientCas: [other.certificate] });
  await assert.rejects(dial(port), { message: 'GOAWAY INADEQUATE_SECURITY: SELF_SIGNED_CERT_IN_CHAIN' });
  const { call, recorder } = openRecordedCall(before);
  call.end();
  assert.equal((await recorder.done).last, true);
  before.drain();
  await gateway.close(1000);
});

test('GatewayServer rejects an address that is in use', async () => {
  const first = createServer().gateway;
  const port = await first.listen({ host: '127.0.0.1', port: 0 });
  await assert.rejects(createServer().gateway.listen({ host: '127.0.0.1', port }), { code: 'EADDRINUSE' });
  await first.close(0);
});

test('dialTls() tries the next address and names the reason of a failure', async () => {
  const { gateway } = createServer();
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const connection = await dial(port, { addresses: ['127.0.0.99', '127.0.0.1'] });
  connection.destroy();

  const foreign = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'other',
    notBefore,
  });
  const rows: [object, RegExp][] = [
    [{ identity: 'node03' }, /^its certificate is not for "node03": .*DNS:node02/],
    [
      { acceptedCas: [foreign.certificate] },
      /^its certificate is not issued by one of this cluster's authorities$/,
    ],
    [{ addresses: ['127.0.0.98'] }, /^connect ECONNREFUSED 127\.0\.0\.98:\d+$/],
    [
      { addresses: ['127.0.0.98', '127.0.0.99'] },
      /ECONNREFUSED 127\.0\.0\.98.*; .*ECONNREFUSED 127\.0\.0\.99/,
    ],
  ];
  for (const [changes, message] of rows) await assert.rejects(dial(port, changes), { message });
  await gateway.close(1000);
});

test('dialTls() reports a backend certificate that has expired or is for clients', async () => {
  for (const [credentials, message] of [
    [await issue('serverAuth', 0.5), 'its certificate has expired'],
    [client, 'its certificate is not for servers'],
  ] as const) {
    const { gateway } = createServer({
      credentials: { ...credentials, requestClientCertificate: true, clientCas: [ca.certificate] },
    });
    const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
    await assert.rejects(dial(port), { message });
    await gateway.close(1000);
  }
});

test('GatewayServer raises the limit on open calls of a connection in steps', async () => {
  const accepted: InboundCall[] = [];
  const growth = { first: 2, generous: 1, settled: 1, settleMs: 1000, step: 2, intervalMs: 1 };
  const { gateway } = createServer({
    limits: { ...gatewayLimits, maxConcurrentCalls: 5, growth },
    onCall: (call) => accepted.push(call),
  });
  const port = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const connection = await dial(port);
  const calls = Array.from({ length: 8 }, () => openRecordedCall(connection));
  for (const { call } of calls) call.end();
  const deadlineMs = performance.now() + 60_000;
  while (accepted.length < 5 && performance.now() < deadlineMs) await delay(1);
  await delay(50);
  assert.equal(accepted.length, 5);
  // Each call that ends makes room for one that waits at the client.
  for (let next = 0; next < calls.length && performance.now() < deadlineMs; ) {
    const call = accepted[next];
    if (call === undefined) await delay(1);
    else {
      call.respond([...answerHead, 'grpc-status', '0'], true);
      next += 1;
    }
  }
  const ends = await Promise.all(calls.map(({ recorder }) => recorder.done));
  assert.deepEqual(
    ends.map(({ last }) => last),
    calls.map(() => true),
  );
  connection.drain();
  await gateway.close(1000);
});
