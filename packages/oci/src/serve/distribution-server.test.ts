import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { generateCertificateAuthority, tlsPrivateKey } from '@nodewright/pki';
import { noTelemetry } from '@nodewright/telemetry';
import { recordSpans } from '@nodewright/telemetry/testing';
import { eventually, groupsAccepted, tlsGroups } from '@nodewright/testkit';
import { blobPath, manifestPath } from '../cache/cache-paths.ts';
import { openImageFolder, type StoredManifest } from '../cache/image-folder.ts';
import { VerifiedFiles } from '../cache/verified-files.ts';
import { digestOf } from '../digest.ts';
import { mediaTypes } from '../media-types.ts';
import type { AnswerRecord } from './answer-request.ts';
import { type DistributionLimits, distributionLimits } from './limits.ts';
import { LocalImages, localSource } from './local-images.ts';
import { openDistributionServer } from './open-distribution-server.ts';

const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.dockerManifest }));
const blob = Buffer.alloc(8_000_000, 'layer');
const named = { registry: 'registry.example', repository: 'team/app' };

async function serve(t: TestContext, limits: Partial<DistributionLimits> = {}, content = blob) {
  const root = mkdtempSync(join(tmpdir(), 'distribution-server-'));
  for (const [path, bytes] of [
    [manifestPath({ ...named, tag: 'v1' }), manifest],
    [manifestPath({ ...named, digest: digestOf(manifest) }), manifest],
    [blobPath(digestOf(blob)), content],
  ] as const) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
  const folder = openImageFolder(root, new VerifiedFiles());
  const records: AnswerRecord[] = [];
  const telemetry = recordSpans();
  const server = await openDistributionServer({
    source: localSource(new LocalImages(() => [folder])),
    limits: { ...distributionLimits, ...limits },
    telemetry,
    onAnswered: (record) => records.push(record),
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });
  return { port, records, spans: telemetry.spans, url: (path: string) => `http://127.0.0.1:${port}${path}` };
}

const blobUrl = `/v2/team/app/blobs/${digestOf(blob)}`;
const errorOf = async (response: Response) =>
  ((await response.json()) as { errors: { code: string }[] }).errors[0]?.code;

test('serves manifests by tag and digest, also without the registry', async (t) => {
  const { url } = await serve(t);
  for (const which of ['v1', digestOf(manifest)])
    for (const query of ['', '?ns=registry.example']) {
      const response = await fetch(url(`/v2/team/app/manifests/${which}${query}`));
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), mediaTypes.dockerManifest);
      assert.equal(response.headers.get('docker-content-digest'), digestOf(manifest));
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), manifest);
    }
  const head = await fetch(url('/v2/team/app/manifests/v1'), { method: 'HEAD' });
  assert.equal(head.headers.get('content-length'), String(manifest.length));
});

test('serves blobs, their size and ranges of them', async (t) => {
  const { url, records } = await serve(t);
  const whole = await fetch(url(blobUrl));
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), blob);
  const head = await fetch(url(blobUrl), { method: 'HEAD' });
  assert.deepEqual(
    [head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')],
    [200, String(blob.length), 'bytes'],
  );
  const part = await fetch(url(blobUrl), { headers: { range: 'bytes=10-19' } });
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, `bytes 10-19/${blob.length}`]);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), blob.subarray(10, 20));
  const behind = await fetch(url(blobUrl), { headers: { range: `bytes=${blob.length}-` } });
  assert.deepEqual([behind.status, behind.headers.get('content-range')], [416, `bytes */${blob.length}`]);
  // The client may have read an answer before the server records it.
  await eventually(() => records.length === 4, { what: 'record of each answer' });
  assert.deepEqual(
    records.map(({ status, bytes }) => [status, bytes]),
    [
      [200, blob.length],
      [200, 0],
      [206, 10],
      [416, 0],
    ],
  );
});

test('errors have the status of Talos and the body of the specification', async (t) => {
  const { url } = await serve(t);
  const digest = digestOf(Buffer.from('other'));
  const answers: [string, number, string][] = [
    ['/v2/team/app/manifests/v2', 404, 'MANIFEST_UNKNOWN'],
    [`/v2/team/app/blobs/${digest}`, 404, 'BLOB_UNKNOWN'],
    ['/v2/team/app/manifests/v1?ns=other.example', 404, 'MANIFEST_UNKNOWN'],
    ['/v2/team/other/manifests/v1', 400, 'NAME_UNKNOWN'],
    [`/v2/team/other/blobs/${digest}`, 400, 'NAME_UNKNOWN'],
    ['/v2/team/app/tags/list', 404, 'UNSUPPORTED'],
  ];
  for (const [path, status, code] of answers) {
    const response = await fetch(url(path));
    assert.deepEqual([response.status, await errorOf(response)], [status, code], path);
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const response = await fetch(url('/v2/team/app/blobs/uploads/'), { method });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD']);
  }
  for (const path of ['/healthz', '/v2/']) assert.equal((await fetch(url(path))).status, 200);
});

test('a damaged blob breaks its connection before its end, and is not served again', async (t) => {
  const damaged = Buffer.from(blob);
  damaged[0] = 0;
  const { url } = await serve(t, {}, damaged);
  const response = await fetch(url(blobUrl));
  assert.equal(response.status, 200);
  await assert.rejects(response.arrayBuffer(), { message: 'terminated' });
  assert.equal((await fetch(url(blobUrl))).status, 404);
});

/** Resolves with what the server sent until it closed the connection. */
async function raw(port: number, text: string, pause = false): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  if (pause) socket.pause();
  let received = '';
  socket.setEncoding('latin1').on('data', (data) => {
    received += data;
  });
  socket.on('error', () => {});
  socket.write(text);
  await new Promise((resolve) => socket.on('close', resolve));
  return received;
}

test('too long headers, bodies and slow headers lose their connection', async (t) => {
  const { port } = await serve(t, {});
  const { port: hasty } = await serve(t, { headersMs: 300 });
  const line = 'GET /v2/ HTTP/1.1\r\nhost: x\r\n';
  const replies = await Promise.all([
    raw(port, `${line}x: ${'a'.repeat(20_000)}\r\n\r\n`),
    raw(port, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`),
    raw(port, `${line}content-length: 5\r\n\r\nhello`),
    raw(hasty, line),
  ]);
  assert.deepEqual(
    replies.map((reply) => reply.split(' ')[1]),
    ['431', '431', '400', '408'],
  );
});

test('a client that does not read loses its connection, and others are served meanwhile', async (t) => {
  const { port, url, records } = await serve(t, { stallMs: 300 });
  const slow = holdBlob(port);
  const other = await fetch(url(blobUrl));
  assert.equal((await other.arrayBuffer()).byteLength, blob.length);
  await eventually(() => records.length === 2, { what: 'record of each answer' });
  assert.equal(
    records.find(({ fault }) => fault !== undefined)?.fault?.message,
    'the client reads too slowly',
  );
  slow.destroy();
});

/** Asks for the blob and reads nothing. */
function holdBlob(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => {});
  socket.write(`GET ${blobUrl} HTTP/1.1\r\nhost: x\r\n\r\n`);
  return socket;
}

const closing = { headers: { connection: 'close' } };

test('more long answers than the limit and the line get 429, short ones are served, more connections are closed', async (t) => {
  const { port, url } = await serve(t, { longAnswers: 2, longLine: 0, patienceMs: 60_000, connections: 4 });
  const held = [1, 2].map(() => holdBlob(port));
  // Otherwise a request of this test may have a place when one of them asks for it.
  await Promise.all(held.map((socket) => once(socket, 'readable')));
  const isRefused = async () => {
    const response = await fetch(url(blobUrl), closing);
    await response.arrayBuffer();
    return response.status === 429 && response.headers.get('retry-after') === '1';
  };
  await eventually(isRefused, { what: 'status 429' });
  for (const path of ['/v2/team/app/manifests/v1', blobUrl]) {
    const response = await fetch(url(path), { headers: { ...closing.headers, range: 'bytes=0-262143' } });
    await response.arrayBuffer();
    assert.ok(response.ok, `${path}: ${response.status}`);
  }
  const more = [1, 2, 3, 4].map(() => raw(port, ''));
  assert.equal(await Promise.race(more), '');
  for (const socket of held) socket.destroy();
});

test('a long answer waits until another one ends, and gets 429 when that takes too long', async (t) => {
  const { port, url } = await serve(t, { longAnswers: 1, longLineMs: 1500, patienceMs: 60_000 });
  const held = holdBlob(port);
  const isRefused = async () => {
    const response = await fetch(url(blobUrl), closing);
    await response.arrayBuffer();
    return response.status === 429;
  };
  await eventually(isRefused, { what: 'status 429' });
  const waiting = fetch(url(blobUrl), closing);
  setTimeout(() => held.destroy(), 100);
  const response = await waiting;
  assert.equal(response.status, 200);
  assert.equal((await response.arrayBuffer()).byteLength, blob.length);
});

test('a client that leaves the line makes room for the next one', async (t) => {
  const { port, url } = await serve(t, {
    longAnswers: 1,
    longLine: 1,
    longLineMs: 60_000,
    patienceMs: 60_000,
  });
  const held = holdBlob(port);
  await once(held, 'readable');
  const inLine = holdBlob(port);
  // Refused, because one waits already.
  const statusNow = async () => {
    const abort = AbortSignal.timeout(1000);
    const response = await fetch(url(blobUrl), { ...closing, signal: abort }).catch(() => undefined);
    await response?.arrayBuffer();
    return response?.status ?? 'in line';
  };
  await eventually(async () => (await statusNow()) === 429, { what: 'full line' });
  inLine.destroy();
  await eventually(async () => (await statusNow()) === 'in line', { what: 'room in the line' });
  held.destroy();
  await eventually(async () => (await statusNow()) === 200, { what: 'free place' });
});

test('a client that leaves before its blob is open takes no place in the line', async (t) => {
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  let asked = 0;
  const server = await openDistributionServer({
    source: {
      manifest: () => Promise.reject(new Error()),
      blobSize: async () => blob.length,
      async blob() {
        asked += 1;
        if (asked === 2) await isOpen;
        return {
          size: blob.length,
          async *read() {
            yield blob;
          },
          async [Symbol.asyncDispose]() {},
        };
      },
    },
    limits: { ...distributionLimits, longAnswers: 1, longLine: 1, longLineMs: 60_000, patienceMs: 60_000 },
    telemetry: noTelemetry,
    onAnswered: () => {},
  });
  t.after(() => server[Symbol.asyncDispose]());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const held = holdBlob(port);
  await once(held, 'readable');
  const leaving = holdBlob(port);
  await eventually(() => asked === 2, { what: 'request of the client that leaves' });
  leaving.destroy();
  await delay(100);
  open();
  await delay(100);
  const third = fetch(`http://127.0.0.1:${port}${blobUrl}`, closing);
  await eventually(() => asked === 3, { what: 'third request' });
  await delay(100);
  held.destroy();
  const response = await third;
  assert.equal(response.status, 200);
  await response.arrayBuffer();
});

/** A server whose source answers when the test resolves `answer`. */
async function serveBusy(t: TestContext, limits: Partial<DistributionLimits>) {
  const answer = Promise.withResolvers<StoredManifest>();
  let asked = 0;
  const ofSource = () => {
    asked += 1;
    return answer.promise;
  };
  const server = await openDistributionServer({
    source: { manifest: ofSource, blob: () => Promise.reject(new Error()), blobSize: async () => 0 },
    limits: { ...distributionLimits, ...limits },
    telemetry: noTelemetry,
    onAnswered: () => {},
  });
  t.after(() => server[Symbol.asyncDispose]());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (signal?: AbortSignal) => {
    const init = signal === undefined ? closing : { ...closing, signal };
    const response = await fetch(`http://127.0.0.1:${port}/v2/team/app/manifests/v1`, init);
    await response.arrayBuffer();
    return response.status;
  };
  const resolve = () =>
    answer.resolve({ digest: digestOf(manifest), mediaType: mediaTypes.dockerManifest, bytes: manifest });
  return { ask, resolve, asked: () => asked };
}

test('requests above the limit wait until others are answered, and leave the line with their clients', async (t) => {
  const { ask, resolve, asked } = await serveBusy(t, { requests: 2, requestLine: 3, requestLineMs: 60_000 });
  const first = [ask(), ask()];
  await eventually(() => asked() === 2, { what: 'two requests' });
  const gone = new AbortController();
  const leaving = ask(gone.signal).catch(() => 'left');
  const waiting = [ask(), ask()];
  // The line is full: its last place is that of the client that leaves.
  await eventually(async () => (await ask()) === 429, { what: 'full line' });
  gone.abort();
  assert.equal(await leaving, 'left');
  let last = Promise.resolve(429);
  const waits = async () => {
    last = ask();
    return (await Promise.race([last, delay(100, 'waits')])) === 'waits';
  };
  await eventually(waits, { what: 'the place of the client that has left' });
  assert.equal(asked(), 2);
  resolve();
  assert.deepEqual(await Promise.all([...first, ...waiting, last]), [200, 200, 200, 200, 200]);
  assert.equal(asked(), 5);
});

test('a request whose client has left keeps its place until the source has answered', async (t) => {
  const { ask, resolve, asked } = await serveBusy(t, { requests: 1, requestLineMs: 60_000 });
  const gone = new AbortController();
  const left = ask(gone.signal).catch(() => 'left');
  await eventually(() => asked() === 1, { what: 'the first request' });
  gone.abort();
  assert.equal(await left, 'left');
  const next = ask();
  assert.equal(await Promise.race([next, delay(200, 'waits')]), 'waits');
  assert.equal(asked(), 1);
  resolve();
  assert.equal(await next, 200);
});

test('more requests than the limit and the line get 429 while the source is busy', async (t) => {
  const { ask, resolve } = await serveBusy(t, { requests: 3, requestLineMs: 50 });
  const all = Array.from({ length: 5 }, () => ask());
  assert.deepEqual([await Promise.race(all), await ask()], [429, 429]);
  resolve();
  assert.deepEqual((await Promise.all(all)).sort(), [200, 200, 200, 429, 429]);
  assert.equal(await ask(), 200);
});

test('clients that hold every long answer without reading lose their places to others', async (t) => {
  const { port, url } = await serve(t, { longAnswers: 4, patienceMs: 100 });
  const held = Array.from({ length: 4 }, () => holdBlob(port));
  const isServed = async () => (await (await fetch(url(blobUrl))).arrayBuffer()).byteLength === blob.length;
  await eventually(isServed, { what: 'whole answer for another client' });
  for (const socket of held) socket.destroy();
});

test('connections without a request lose their places to new ones, and those with one keep theirs', async (t) => {
  const { port, url } = await serve(t, { connections: 8 });
  const reading = holdBlob(port);
  await once(reading, 'readable');
  let closed = 0;
  const silent = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'));
  for (const socket of silent)
    socket
      .on('error', () => {})
      .on('close', () => {
        closed += 1;
      });
  await eventually(() => closed === 43, { what: 'end of all connections but eight' });
  for (let count = 0; count < 20; count += 1) {
    const response = await fetch(url('/v2/team/app/manifests/v1'), { headers: { connection: 'close' } });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
  let received = 0;
  for await (const chunk of reading) {
    received += chunk.length;
    if (received > blob.length) break;
  }
  assert.ok(received > blob.length);
  for (const socket of silent) socket.destroy();
});

test('the span of an answer has not failed when the client asked for what is not there', async (t) => {
  const { url, spans } = await serve(t);
  assert.equal((await fetch(url('/v2/team/app/manifests/v2'))).status, 404);
  await eventually(() => spans.some(({ hasEnded }) => hasEnded), { what: 'end of the span' });
  assert.deepEqual(
    spans.map(({ kind, hasFailed, attributes }) => [
      kind,
      hasFailed,
      attributes['http.response.status_code'],
    ]),
    [['server', false, 404]],
  );
});

test('a server with TLS accepts four key exchanges and no other', async (t) => {
  const notBefore = new Date();
  const own = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'cache', notBefore });
  const server = await openDistributionServer({
    source: localSource(new LocalImages(() => [])),
    telemetry: noTelemetry,
    onAnswered: () => {},
    tls: { certificate: own.certificate, key: tlsPrivateKey(own.key) },
  });
  t.after(() => server[Symbol.asyncDispose]());
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  assert.deepEqual(
    await groupsAccepted({ host: '127.0.0.1', port, ALPNProtocols: ['http/1.1'] }),
    tlsGroups.accepted,
  );
});
