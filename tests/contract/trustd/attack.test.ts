// Attacks on trustd by clients without the token: they use no resources that grow, and nodes are served
// meanwhile.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { createCertificateRequest } from '@nodewright/pki';
import { eventually } from '@nodewright/testkit';
import { headersOf } from '../../attack/wire/call-frames.ts';
import { cancelFrame, frameTypes } from '../../attack/wire/frame.ts';
import { RawConnection } from '../../attack/wire/raw-connection.ts';
import { dialTrustd, requestCertificate, startTrustd, statusOf, token } from './harness.ts';

const trustd = await startTrustd();
const { ca } = trustd;
const port = await trustd.port();
after(() => trustd[Symbol.asyncDispose]());

const { request } = await createCertificateRequest({
  subject: { commonName: 'node04' },
  like: ca.certificate,
});

/** The connection limit of trustd: an additional connection is closed. */
const callsPerConnection = 32;

/** Number of wrong tokens per address whose answers trustd delays; further ones are refused at once. */
const waitingGuesses = 16;

/** Number of concurrent TLS handshakes that trustd allows. */
const handshakes = 128;

const residentBytes = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${trustd.process.pid}/status`, 'utf8'))?.[1]) * 1024;

async function openSession(): Promise<ClientHttp2Session> {
  const session = connect(`https://127.0.0.1:${port}`, { ca: ca.certificate, servername: 'node01' });
  session.on('error', () => {});
  await once(session, 'remoteSettings');
  return session;
}

const prefix = Buffer.alloc(5);
prefix.writeUInt32BE(3_900_000, 1);
const unfinished = Buffer.concat([prefix, Buffer.alloc(3_899_000)]);

/** Begins a message of 3.9 MB and never ends it. Resolves with the status of the call. */
function sendUnfinished(session: ClientHttp2Session, path: string, headers: object): Promise<string> {
  const stream = session.request({
    ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
    ...headers,
  });
  const status = new Promise<string>((resolve) => {
    stream.on('response', (fields) => resolve(String(fields['grpc-status'])));
    stream.on('close', () => resolve(`closed ${stream.rstCode}`));
  });
  stream.on('error', () => {});
  stream.write(unfinished);
  return status;
}

test('unfinished messages of unknown clients are not kept, and a node is served meanwhile', async () => {
  const certificate = '/securityapi.SecurityService/Certificate';
  using node = dialTrustd(port, ca.certificate);
  await requestCertificate(node, request);
  const before = residentBytes();
  const rows = [
    [certificate, {}, '16'],
    [certificate, { token: 'wrong' }, '16'],
    ['/securityapi.SecurityService/Nope', {}, '12'],
  ] as const;
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, residentBytes())), 20);
  try {
    for (const [path, headers, wanted] of rows) {
      const sessions = await Promise.all(Array.from({ length: 4 }, openSession));
      const [first] = sessions;
      assert.ok(first);
      assert.equal(await sendUnfinished(first, path, headers), wanted);
      const calls = sessions.flatMap((session) =>
        Array.from({ length: callsPerConnection }, () => sendUnfinished(session, path, headers)),
      );
      assert.deepEqual(await statusOf(requestCertificate(node, request)), [0, '']);
      // All but 16 wrong tokens are refused at once. trustd may close a connection that keeps sending for
      // ended calls.
      const answers = new Set(await Promise.all(calls));
      assert.deepEqual(
        [...answers].filter((each) => each !== wanted && each !== '8' && !each.startsWith('closed')),
        [],
      );
      for (const session of sessions) session.destroy();
    }
  } finally {
    clearInterval(timer);
  }
  // A fifth of what the 128 calls of one row have sent. The rest is memory that V8 has not freed yet.
  assert.ok(peak - before < 100e6, `${peak - before} bytes more than before`);
});

test('wrong tokens are delayed, and refused beyond the limit, while a node with the right token is served', async () => {
  using stranger = dialTrustd(port, ca.certificate);
  using node = dialTrustd(port, ca.certificate);
  const isServedMeanwhile = async () => {
    const ended: string[] = [];
    const guesses = Array.from({ length: 40 }, async (_, index) => {
      const [code] = await statusOf(requestCertificate(stranger, request, `guess-${index}`));
      ended.push(code === 16 ? 'waited' : 'refused');
    });
    await eventually(() => ended.includes('refused'), { what: 'a refusal' });
    assert.deepEqual(await statusOf(requestCertificate(node, request)), [0, '']);
    const isFirst = !ended.includes('waited');
    await Promise.all(guesses);
    assert.ok(ended.filter((each) => each === 'waited').length >= 16);
    return isFirst;
  };
  // A guess waits for a second, and a busy machine may need longer for the call of the node.
  await eventually(isServedMeanwhile, { what: 'answer for the node before that for a guess' });
  assert.equal(trustd.process.stdout().includes('guess-'), false);
});

test('TCP connections that start no TLS handshake are closed beyond the limit, and a node is served meanwhile', async () => {
  const sockets: Socket[] = [];
  try {
    for (let each = 0; each < 160; each += 1) {
      const socket = connectTcp(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      await once(socket, 'connect');
      sockets.push(socket);
    }
    const open = () => sockets.filter(({ closed, destroyed }) => !(closed || destroyed));
    await eventually(() => open().length <= handshakes, { what: 'the end of the oldest' });
    // Before the 10 s after which trustd closes each of them.
    assert.deepEqual([open().length, open()[0] === sockets[32]], [handshakes, true]);
    using node = dialTrustd(port, ca.certificate);
    assert.deepEqual(await statusOf(requestCertificate(node, request)), [0, '']);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test('a client that resets its calls loses its own connection only', async () => {
  using node = dialTrustd(port, ca.certificate);
  await requestCertificate(node, request);
  const other = await openSession();
  const signal = AbortSignal.timeout(120_000);
  using stranger = await RawConnection.open({ host: '127.0.0.1', port }, { credentials: undefined, signal });
  // A library would end each request before it resets the call, and an empty request gets an answer.
  const headers = headersOf({
    path: '/securityapi.SecurityService/Certificate',
    metadata: [['token', 'wrong']],
  });
  const isOver = () => !stranger.isOpen;
  let resets = 0;
  while (!isOver() && resets < 100 * waitingGuesses) {
    // The answer to a wrong token is delayed, so each call is cancelled before its answer.
    const streams = Array.from({ length: waitingGuesses }, () => stranger.stream());
    await stranger.send(...streams.map((id) => headers(id)), ...streams.map(cancelFrame));
    resets += streams.length;
    await turn();
  }
  await eventually(isOver, { what: "the end of the stranger's connection" });
  assert.ok(resets > 64, `${resets} resets`);
  assert.deepEqual([other.closed, other.destroyed], [false, false]);
  assert.deepEqual(await statusOf(requestCertificate(node, request)), [0, '']);
  other.destroy();
});

test('silent connections beyond the limit of an address are closed, the oldest first, and none of a node', async () => {
  using node = dialTrustd(port, ca.certificate);
  await requestCertificate(node, request);
  const sockets: TLSSocket[] = [];
  for (let each = 0; each < 80; each += 1) {
    const socket = connectTls({
      ...{ host: '127.0.0.1', port, servername: 'node01', ca: ca.certificate },
      ALPNProtocols: ['h2'],
    });
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'secureConnect');
    sockets.push(socket);
  }
  const open = () => sockets.map(({ closed, destroyed }) => !(closed || destroyed));
  await eventually(() => open().filter(Boolean).length <= 64, { what: 'the end of the oldest' });
  assert.deepEqual([open()[0], open().at(-1)], [false, true]);
  assert.deepEqual(await statusOf(requestCertificate(node, request)), [0, '']);
  for (const socket of sockets) socket.destroy();
});

test('calls beyond the limit of a connection are refused, and a node is served meanwhile', async () => {
  using node = dialTrustd(port, ca.certificate);
  const signal = AbortSignal.timeout(120_000);
  using stranger = await RawConnection.open({ host: '127.0.0.1', port }, { credentials: undefined, signal });
  // With the right token, trustd waits for the bodies of these calls, which never arrive.
  const headers = headersOf({
    path: '/securityapi.SecurityService/Certificate',
    metadata: [['token', token]],
  });
  const refused = () => stranger.count(frameTypes.resetStream);
  const extra = 8;
  const streams = Array.from({ length: callsPerConnection + extra }, () => stranger.stream());
  await stranger.send(...streams.map(headers));
  await eventually(() => refused() >= extra, { what: 'refusals' });
  assert.deepEqual(await statusOf(requestCertificate(node, request)), [0, '']);
  assert.deepEqual([refused(), stranger.isOpen], [extra, true]);
});
