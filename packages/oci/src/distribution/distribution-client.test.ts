import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { digestOf } from '../digest.ts';
import { parseImageReference } from '../image-reference.ts';
import { mediaTypes } from '../media-types.ts';
import { type DistributionClientInit, openDistributionClient } from './distribution-client.ts';

interface Server extends AsyncDisposable {
  readonly host: string;
  readonly requests: IncomingMessage[];
}

async function serve(listener: RequestListener): Promise<Server> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const open = (init: Partial<DistributionClientInit> = {}) =>
  openDistributionClient({ telemetry: noTelemetry, ...init });
const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, config: {}, layers: [] }));
const blob = Buffer.from('0123456789'.repeat(1000));
const descriptor = { mediaType: mediaTypes.layer, digest: digestOf(blob), size: blob.length };

async function read(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('resolve() yields the manifest and its media type, taken from the document when the server sends none', async () => {
  await using server = await serve((_request, response) => response.end(manifest));
  using client = open();
  const found = await client.resolve(parseImageReference(`${server.host}/a/b:v1`));
  assert.deepEqual(found.descriptor, {
    mediaType: mediaTypes.manifest,
    digest: digestOf(manifest),
    size: manifest.length,
  });
  const [request] = server.requests;
  assert.equal(request?.url, '/v2/a/b/manifests/v1');
  assert.match(request?.headers.accept ?? '', /image\.index.*manifest\.list.*image\.manifest/);
});

test('resolve() by digest rejects a document with another digest', async () => {
  await using server = await serve((_request, response) => response.end(manifest));
  using client = open();
  const wrong = parseImageReference(`${server.host}/a/b@${digestOf(blob)}`);
  await assert.rejects(client.resolve(wrong), { kind: 'data-loss' });
  const right = parseImageReference(`${server.host}/a/b@${digestOf(manifest)}`);
  assert.equal((await client.resolve(right)).descriptor.digest, digestOf(manifest));
});

test('fetches a token when the registry requires one, reuses it, and sends the password only to its issuer', async () => {
  let given = 0;
  await using auth = await serve((_request, response) => {
    given += 1;
    response.end(JSON.stringify({ token: `token-${given}` }));
  });
  await using server = await serve((request, response) => {
    if (request.headers.authorization === `Bearer token-1`) return response.end(manifest);
    const realm = `Bearer realm="http://${auth.host}/token?x=1",service="s"`;
    return response.writeHead(401, { 'www-authenticate': realm }).end();
  });
  using client = open();
  const reference = parseImageReference(`${server.host}/a/b:v1`);
  const credentials = { username: 'user', password: 'open sesame' };
  for (let count = 0; count < 3; count += 1) await client.resolve(reference, { credentials });
  assert.equal(given, 1);
  const [request] = auth.requests;
  assert.equal(request?.url, '/token?x=1&service=s&scope=repository%3Aa%2Fb%3Apull');
  assert.equal(request?.headers.authorization, `Basic ${Buffer.from('user:open sesame').toString('base64')}`);
  assert.deepEqual(
    server.requests.map(({ headers }) => headers.authorization),
    [undefined, 'Bearer token-1', 'Bearer token-1', 'Bearer token-1'],
  );
});

test('only a refusal of the token service counts as unauthenticated; any other failure of it as unavailable', async () => {
  const token = JSON.stringify({ token: 'token' });
  const answers: [number, string, string][] = [
    ...[400, 401, 403, 404].map((status): [number, string, string] => [status, '', 'unauthenticated']),
    ...[429, 500, 502, 503, 504].map((status): [number, string, string] => [status, '', 'unavailable']),
    // With a body that would be a token.
    [202, token, 'unavailable'],
    [200, '<html>Log in</html>', 'unavailable'],
    [200, 'x'.repeat(1_200_000), 'unavailable'],
  ];
  const kinds: unknown[] = [];
  for (const [status, body] of answers) {
    await using auth = await serve((_request, response) => response.writeHead(status).end(body));
    await using server = await serve((_request, response) => {
      const realm = `Bearer realm="http://${auth.host}/token",service="s"`;
      return response.writeHead(401, { 'www-authenticate': realm }).end();
    });
    using client = open();
    const failed = await client.resolve(parseImageReference(`${server.host}/a/b:v1`)).catch((error) => error);
    kinds.push([status, body, failed.kind]);
  }
  assert.deepEqual(kinds, answers);
});

test('errors of a registry are Faults that name the registry and the image, without the password', async () => {
  const answers: [number, string, string][] = [
    [401, 'unauthenticated', ''],
    [403, 'permission-denied', ''],
    [404, 'not-found', JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'no such tag' }] })],
    [429, 'unavailable', ''],
    [500, 'unavailable', '<html>'],
    [503, 'unavailable', JSON.stringify({ errors: [{ message: '\u001b[2J no such\r\n tag' }] })],
  ];
  for (const [status, kind, body] of answers) {
    await using server = await serve((_request, response) => response.writeHead(status).end(body));
    using client = open();
    const reference = parseImageReference(`${server.host}/a/b:v1`);
    const credentials = { username: 'user', password: 'open sesame' };
    await assert.rejects(client.resolve(reference, { credentials }), (error: Error & { kind: string }) => {
      assert.equal(error.kind, kind);
      const said = body.startsWith('{') ? `, ${status === 503 ? '[2J ' : ''}no such tag` : '';
      assert.equal(
        error.message.replaceAll('  ', ' '),
        `the registry ${server.host} refuses ${server.host}/a/b:v1: HTTP ${status}${said}`,
      );
      return true;
    });
  }
});

test('fetchBlob() resumes at an offset, also when the registry sends the whole blob', async () => {
  for (const takesRange of [true, false]) {
    await using server = await serve((request, response) => {
      const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      if (takesRange && from > 0) response.writeHead(206).end(blob.subarray(from));
      else response.end(blob);
    });
    using client = open();
    const reference = parseImageReference(`${server.host}/a/b:v1`);
    assert.equal(await read(client.fetchBlob(reference, descriptor)), blob.toString());
    const rest = await read(client.fetchBlob(reference, descriptor, { offset: 4321 }));
    assert.equal(rest, blob.subarray(4321).toString());
  }
});

test('fetchBlob() fails with aborted when the bytes end early, with data-loss when there are too many', async () => {
  const answers: [RequestListener, string][] = [
    [(_request, response) => response.end(blob.subarray(1)), 'aborted'],
    [(_request, response) => response.end(Buffer.concat([blob, blob])), 'data-loss'],
    [
      (_request, response) => {
        response.setHeader('content-length', blob.length);
        response.write(blob.subarray(0, 10), () => response.destroy());
      },
      'aborted',
    ],
    [
      (_request, response) => {
        response.setHeader('content-length', blob.length);
        response.write(blob.subarray(0, 10));
      },
      'aborted',
    ],
  ];
  for (const [listener, kind] of answers) {
    await using server = await serve(listener);
    using client = open({ idleTimeoutMs: kind === 'aborted' ? 300 : 60_000 });
    const reference = parseImageReference(`${server.host}/a/b:v1`);
    await assert.rejects(read(client.fetchBlob(reference, descriptor)), { kind });
  }
});

test('follows a redirect without sending the authorization', async () => {
  await using store = await serve((_request, response) => response.end(blob));
  await using server = await serve((request, response) => {
    if (request.headers.authorization === undefined)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    return response.writeHead(307, { location: `http://${store.host}/elsewhere` }).end();
  });
  using client = open();
  const credentials = { username: 'user', password: 'open sesame' };
  const reference = parseImageReference(`${server.host}/a/b:v1`);
  assert.equal(await read(client.fetchBlob(reference, descriptor, { credentials })), blob.toString());
  assert.deepEqual(
    store.requests.map(({ url, headers }) => [url, headers.authorization]),
    [['/elsewhere', undefined]],
  );
});

test('the target of a redirect cannot obtain the password by sending a challenge', async () => {
  await using thief = await serve((_request, response) => response.end(JSON.stringify({ token: 't' })));
  await using store = await serve((_request, response) => {
    const realm = `Bearer realm="http://${thief.host}/token"`;
    return response.writeHead(401, { 'www-authenticate': realm }).end();
  });
  await using server = await serve((_request, response) =>
    response.writeHead(307, { location: `http://${store.host}/elsewhere` }).end(),
  );
  using client = open();
  const credentials = { username: 'user', password: 'open sesame' };
  const reference = parseImageReference(`${server.host}/a/b:v1`);
  await assert.rejects(client.resolve(reference, { credentials }), { kind: 'unauthenticated' });
  assert.deepEqual(thief.requests, []);
});

test('an invalid redirect fails, and a redirect with an endless body costs only its connection', async () => {
  await using lost = await serve((_request, response) =>
    response.writeHead(307, { location: 'http://[' }).end(),
  );
  await using odd = await serve((_request, response) =>
    response.writeHead(307, { location: 'ftp://registry.example/' }).end(),
  );
  await using store = await serve((_request, response) => response.end(manifest));
  let isOver = false;
  await using endless = await serve((_request, response) => {
    response.writeHead(307, { location: `http://${store.host}/elsewhere` });
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384)));
    };
    response.on('drain', more);
    response.on('close', () => {
      isOver = true;
    });
    more();
  });
  using client = open();
  await assert.rejects(client.resolve(parseImageReference(`${lost.host}/a/b:v1`)), { kind: 'unavailable' });
  await assert.rejects(client.resolve(parseImageReference(`${odd.host}/a/b:v1`)), { kind: 'unavailable' });
  const found = await client.resolve(parseImageReference(`${endless.host}/a/b:v1`));
  assert.equal(found.descriptor.digest, digestOf(manifest));
  await eventually(() => isOver, { what: 'end of the endless answer' });
});

test('tries endpoints in order, and reports a refusal only when every endpoint has refused', async () => {
  await using without = await serve((_request, response) => response.writeHead(404).end());
  await using mirror = await serve((_request, response) => response.end(manifest));
  const reference = parseImageReference('registry.example/a/b:v1');
  const urls = [`http://${without.host}`, `http://${mirror.host}/prefix/`];
  using client = open({ endpointsOf: () => urls.map((url) => ({ url })) });
  assert.equal((await client.resolve(reference)).descriptor.digest, digestOf(manifest));
  assert.deepEqual(
    [without, mirror].map(({ requests }) => requests.map(({ url }) => url)),
    [['/v2/a/b/manifests/v1'], ['/prefix/v2/a/b/manifests/v1']],
  );
  await using closed = await serve((_request, response) => response.writeHead(403).end());
  const kindOf = async (...asked: string[]) => {
    using lost = open({ endpointsOf: () => asked.map((url) => ({ url })) });
    return lost.resolve(reference).catch(({ kind }) => kind);
  };
  const [away, lacks, refuses] = ['http://127.0.0.1:1', `http://${without.host}`, `http://${closed.host}`];
  // The endpoint that is away may have what the other one lacks or does not give.
  assert.equal(await kindOf(away, lacks), 'unavailable');
  assert.equal(await kindOf(away, refuses), 'unavailable');
  assert.equal(await kindOf(lacks, refuses), 'permission-denied');
  assert.equal(await kindOf(refuses, lacks), 'not-found');
});

test('a mirror is told the registry, may have a path of its own, and gets its credentials', async () => {
  await using mirror = await serve(({ headers }, response) => {
    if (headers.authorization !== undefined) return response.end(manifest);
    return response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
  });
  const credentials = { username: 'user', password: 'password' };
  const url = `http://${mirror.host}/cache/`;
  using client = open({ endpointsOf: () => [{ url, overridesPath: true, isMirror: true, credentials }] });
  const reference = parseImageReference('registry.example/a/b:v1');
  assert.equal((await client.resolve(reference)).descriptor.digest, digestOf(manifest));
  const asked = mirror.requests.map((request) => [request.url, request.headers.authorization]);
  const path = '/cache/a/b/manifests/v1?ns=registry.example';
  const basic = `Basic ${Buffer.from('user:password').toString('base64')}`;
  assert.deepEqual(asked, [
    [path, undefined],
    [path, basic],
  ]);
});

test('a signal aborts a request without a response', async () => {
  await using server = await serve(() => undefined);
  using client = open();
  const left = new AbortController();
  const asking = client.resolve(parseImageReference(`${server.host}/a/b:v1`), { signal: left.signal });
  asking.catch(() => undefined);
  left.abort();
  await assert.rejects(asking, { kind: 'cancelled' });
});

/** Sends bytes one after the other, which no timeout for silence notices. */
async function drip(write: (byte: Uint8Array) => unknown, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += 1) {
    write(bytes.subarray(at, at + 1));
    await pause(20);
  }
}

test('a registry that sends a document byte by byte is given up', async () => {
  await using server = await serve(async (_request, response) => {
    await drip((byte) => response.write(byte), Buffer.concat([manifest, Buffer.alloc(100, ' ')]));
    response.end();
  });
  using client = open({ documentTimeoutMs: 300 });
  await assert.rejects(client.resolve(parseImageReference(`${server.host}/a/b:v1`)), { kind: 'aborted' });
});

test('a registry that sends the head of its answer byte by byte is given up', async () => {
  const sockets = new Set<Socket>();
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${manifest.length}\r\nx: ${'y'.repeat(100)}\r\n\r\n`;
  const server = createTcpServer(async (socket) => {
    sockets.add(socket.on('error', () => {}));
    await drip((byte) => socket.write(byte), Buffer.from(head));
    socket.end(manifest);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  using client = open({ idleTimeoutMs: 500 });
  const { port } = server.address() as AddressInfo;
  await assert.rejects(client.resolve(parseImageReference(`127.0.0.1:${port}/a/b:v1`)), { kind: 'aborted' });
  for (const socket of sockets) socket.destroy();
  server.close();
});
