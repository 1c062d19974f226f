// Calls behave the same over the connection that is made without the gRPC library and over the one that uses it.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { maxMessageSizeBytes } from '@nodewright/contract';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { type CallOptions, ClientError, Metadata, type TsProtoServiceDefinition } from 'nice-grpc';
import { CallOutcome } from './call-outcome.ts';
import { noIdentity } from './client-identity.ts';
import { DirectConnection } from './direct-connection.ts';
import type { EndpointConnection, EndpointConnectionInit } from './endpoint-connection.ts';
import { ProxiedConnection } from './proxied-connection.ts';

interface Message {
  readonly text: string;
}

const codec = {
  encode: ({ text }: Message) => ({ finish: () => Buffer.from(text) }),
  decode: (bytes: Uint8Array): Message => ({ text: Buffer.from(bytes).toString() }),
  fromPartial: (message: Message) => message,
};
const method = (name: string, requestStream: boolean, responseStream: boolean) =>
  ({
    name,
    requestType: codec,
    requestStream,
    responseType: codec,
    responseStream,
    options: {},
  }) as unknown as TsProtoServiceDefinition['methods'][string];
const definition: TsProtoServiceDefinition = {
  name: 'Echo',
  fullName: 'test.Echo',
  methods: {
    one: method('One', false, false),
    many: method('Many', false, true),
    collect: method('Collect', true, false),
    both: method('Both', true, true),
  },
};

type Handler = (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void;

const notBefore = new Date();
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'test', notBefore });
const issued = await issueCertificate({
  issuer: ca,
  subject: { commonName: 'server' },
  dnsNames: ['localhost'],
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['serverAuth'],
  notBefore,
  lifetimeHours: 1,
});

let handler: Handler = () => {};
let server: Http2SecureServer;
let init: EndpointConnectionInit;

before(async () => {
  server = createSecureServer({ cert: issued.certificate, key: tlsPrivateKey(issued.key) });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    handler(stream as ServerHttp2Stream, headers);
  });
  server.on('sessionError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  init = {
    endpoint: { host: '127.0.0.1', port, address: `127.0.0.1:${port}` },
    identity: noIdentity,
    trust: { kind: 'insecure', fingerprints: [] },
    proxy: 'direct',
  };
});
after(() => server.close());

const head = { ':status': 200, 'content-type': 'application/grpc' };
const framed = (message: string, bytes = Buffer.byteLength(message), flag = 0) => {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(bytes, 1);
  return Buffer.concat([prefix, Buffer.from(message)]);
};

/** Answers with these messages and trailers. */
const answers =
  (messages: readonly string[], trailers: Record<string, string>): Handler =>
  (stream) => {
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    for (const message of messages) stream.write(framed(message));
    stream.end();
  };

interface Ended {
  readonly messages: string[];
  /** Code and text of a failure. */
  readonly error: unknown;
  readonly failure: string | undefined;
  readonly headers: unknown[];
  readonly trailers: unknown[];
}

interface Call {
  readonly key?: 'one' | 'many' | 'collect' | 'both';
  readonly request?: unknown;
  readonly options?: CallOptions;
}

const shownError = (error: unknown) =>
  error instanceof ClientError ? [error.code, error.details] : (error as Error).name;

const hello: Message = { text: 'hello' };

/** Makes one call and returns everything that a caller can notice of it. */
async function callOf(connection: EndpointConnection, given: Call = {}): Promise<Ended> {
  const { key = 'one', request = hello, options = {} } = given;
  await isReady(connection);
  const outcome = new CallOutcome();
  const seen: Ended = {
    messages: [],
    error: undefined,
    failure: undefined,
    headers: [],
    trailers: [],
  };
  const own = (name: string) => name.startsWith('x-');
  const entries = (metadata: Metadata) =>
    [...metadata]
      .filter(([name]) => own(name))
      .map(([name, values]) => [name, values.map((value) => Buffer.from(value).toString('latin1'))]);
  const watched = outcome.watch({
    ...options,
    onHeader: (header) => seen.headers.push(...entries(header)),
    onTrailer: (trailer) => seen.trailers.push(...entries(trailer)),
  });
  try {
    const answer = connection.client(definition, noTelemetry)[key]?.(request, watched);
    if (key === 'one' || key === 'collect') seen.messages.push(((await answer) as Message).text);
    else {
      for await (const { text } of answer as AsyncIterable<Message>) {
        outcome.delivered();
        seen.messages.push(text);
      }
    }
    return seen;
  } catch (error) {
    return { ...seen, error: shownError(error), failure: outcome.classify(error).failure };
  }
}

async function isReady(connection: EndpointConnection): Promise<void> {
  for (;;) {
    const change = connection.nextChange();
    const state = connection.connect();
    if (state === 'ready') return;
    if (state === 'failed' || state === 'closed') throw new Error(`the connection is ${state}`);
    await change;
  }
}

const nothing: Ended = { messages: [], error: undefined, failure: undefined, headers: [], trailers: [] };

for (const [name, open] of [
  ['DirectConnection', () => new DirectConnection(init)],
  ['ProxiedConnection', () => new ProxiedConnection(init)],
] as const) {
  const ends = (title: string, serve: Handler, call: Call, expected: Partial<Ended>) =>
    test(`${name}: ${title}`, async () => {
      handler = serve;
      using connection = open();
      assert.deepEqual(await callOf(connection, call), { ...nothing, ...expected });
    });

  test(`${name}: a call carries its path, its message and its metadata, and brings headers and trailers`, async () => {
    let request: unknown;
    handler = (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { ':method': verb, ':path': path, te, 'content-type': type } = headers;
        const [plain, binary] = [headers['x-plain'], headers['x-data-bin']];
        request = [verb, path, te, type, plain, binary, Buffer.concat(chunks).toString('latin1')];
        stream.respond({ ...head, 'x-served-by': 'node01', 'x-raw-bin': 'AQI=' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-cost': '7' }));
        stream.end(framed('reply'));
      });
    };
    using connection = open();
    const metadata = Metadata({ 'x-plain': 'a b', 'x-data-bin': Buffer.from([1, 2, 3]) });
    assert.deepEqual(await callOf(connection, { options: { metadata } }), {
      ...nothing,
      messages: ['reply'],
      headers: [
        ['x-served-by', ['node01']],
        ['x-raw-bin', ['\x01\x02']],
      ],
      trailers: [['x-cost', ['7']]],
    });
    assert.deepEqual(request, [
      'POST',
      '/test.Echo/One',
      'trailers',
      'application/grpc',
      'a b',
      'AQID',
      framed('hello').toString('latin1'),
    ]);
  });

  ends(
    'a stream yields its messages in order',
    answers(['a', '', 'c'], { 'grpc-status': '0' }),
    { key: 'many' },
    { messages: ['a', '', 'c'] },
  );
  ends(
    'a failure in the trailers has its text decoded',
    answers([], { 'grpc-status': '5', 'grpc-message': 'no disk %E2%82%AC %25 left' }),
    {},
    { error: [5, 'no disk € % left'], failure: 'answered' },
  );
  ends(
    'a failure may be the whole response',
    (stream) => stream.respond({ ...head, 'grpc-status': '7', 'grpc-message': 'no' }, { endStream: true }),
    {},
    { error: [7, 'no'], failure: 'answered' },
  );
  ends(
    'a response without a status has that of HTTP',
    (stream) => {
      stream.respond({ ':status': 503, 'content-type': 'text/html' });
      stream.end('<html>not now</html>');
    },
    {},
    { error: [14, 'Received HTTP status code 503'], failure: 'answered' },
  );
  ends(
    'a call with the status OK and no message fails',
    answers([], { 'grpc-status': '0' }),
    {},
    { error: [12, 'No message received'], failure: 'answered' },
  );
  // The gRPC library waits for ever.
  if (name === 'DirectConnection')
    ends(
      'a call with one reply that gets two fails',
      answers(['a', 'b'], { 'grpc-status': '0' }),
      {},
      { error: [12, 'Too many responses received'], failure: 'answered' },
    );
  ends(
    'a message above the limit is refused by its length',
    (stream) => {
      stream.respond(head);
      stream.write(framed('', maxMessageSizeBytes + 1));
    },
    {},
    {
      error: [8, `Received message larger than max (${maxMessageSizeBytes + 1} vs ${maxMessageSizeBytes})`],
      failure: 'answered',
    },
  );
  ends(
    'a refused stream was not sent',
    (stream) => stream.close(7),
    {},
    { error: [14, 'Stream refused by server'], failure: 'not-sent' },
  );
  ends(
    'a stream that the server resets before the response may have been carried out',
    (stream) => stream.close(2),
    {},
    { error: [13, 'Received RST_STREAM with code 2 (Internal server error)'], failure: 'lost' },
  );
  ends(
    'a server that is overloaded resets with its own status',
    (stream) => stream.close(11),
    {},
    { error: [8, 'Bandwidth exhausted or memory limit exceeded'], failure: 'answered' },
  );
  ends(
    'a connection that is lost before the response may have carried the call out',
    (stream) => stream.session?.destroy(),
    {},
    { error: [14, 'Connection dropped'], failure: 'lost' },
  );

  test(`${name}: a connection that is lost in the middle of a response cuts it`, async () => {
    handler = (stream) => {
      stream.respond(head);
      stream.write(framed('first'));
      setTimeout(() => stream.session?.destroy(), 50);
    };
    using connection = open();
    const { messages, failure } = await callOf(connection, { key: 'many' });
    assert.deepEqual([messages, failure], [['first'], 'cut']);
  });

  test(`${name}: after a lost connection the next call has a new one`, async () => {
    handler = (stream) => stream.session?.destroy();
    using connection = open();
    await callOf(connection);
    handler = answers(['again'], { 'grpc-status': '0' });
    assert.deepEqual((await callOf(connection)).messages, ['again']);
  });

  test(`${name}: a request that is a stream arrives as it is made, and its error ends the call`, async () => {
    handler = (stream) => {
      stream.respond(head, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.pipe(stream);
    };
    using connection = open();
    async function* two() {
      yield { text: 'x' };
      yield { text: 'y'.repeat(3_000_000) };
    }
    const echoed = await callOf(connection, { key: 'both', request: two() });
    assert.deepEqual(
      [echoed.messages.map((message) => message.length), echoed.error],
      [[1, 3_000_000], undefined],
    );
    async function* broken() {
      yield { text: 'x' };
      throw new TypeError('no more');
    }
    assert.equal((await callOf(connection, { key: 'both', request: broken() })).error, 'TypeError');
  });

  test(`${name}: an abort, and a reader that leaves, reset the stream`, async () => {
    const closed: Promise<number | undefined>[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    handler = (stream) => {
      closed.push(new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode))));
      stream.respond(head);
      stream.write(framed('first'));
      // The call has begun.
      controller.abort();
    };
    using connection = open();
    assert.equal((await callOf(connection, { key: 'many', options: { signal } })).error, 'AbortError');
    assert.equal((await callOf(connection, { options: { signal } })).error, 'AbortError');
    const replies = connection.client(definition, noTelemetry).many?.(hello, {}) as AsyncIterable<Message>;
    for await (const { text } of replies) {
      assert.equal(text, 'first');
      break;
    }
    assert.deepEqual(await Promise.all(closed), [8, 8]);
  });

  test(`${name}: an endpoint without a server fails, and says why`, async () => {
    using connection = new (name === 'DirectConnection' ? DirectConnection : ProxiedConnection)({
      ...init,
      endpoint: { host: '127.0.0.1', port: 1, address: '127.0.0.1:1' },
    });
    await assert.rejects(isReady(connection), /is failed/);
    assert.equal(await connection.problem(new Date()), 'connection refused');
  });
}

/** Why a connection to a TLS server fails that serves each socket like this. */
async function problemWith(
  scope: AsyncDisposableStack,
  options: TlsOptions,
  serve: (socket: TLSSocket) => void,
  open: (init: EndpointConnectionInit) => EndpointConnection = (to) => new DirectConnection(to),
): Promise<string> {
  const other = createTlsServer(
    { cert: issued.certificate, key: tlsPrivateKey(issued.key), ...options },
    serve,
  );
  other.on('tlsClientError', () => {});
  const sockets = new Set<Socket>();
  other.on('connection', (socket: Socket) => sockets.add(socket));
  scope.defer(() => {
    for (const socket of sockets) socket.destroy();
    other.close();
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  using connection = open({ ...init, endpoint: { host: '127.0.0.1', port, address: `127.0.0.1:${port}` } });
  await assert.rejects(isReady(connection), /is failed/);
  return connection.problem(new Date());
}

test('DirectConnection: a server with TLS and without HTTP/2 is reported as that, whether it knows ALPN or not', async () => {
  await using scope = new AsyncDisposableStack();
  const http1 = (socket: TLSSocket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));
  };
  const problems = [
    await problemWith(scope, { ALPNProtocols: ['http/1.1'] }, http1),
    await problemWith(scope, {}, http1),
  ];
  assert.deepEqual(problems, ['it does not speak HTTP/2', 'it does not speak HTTP/2']);
});

test('DirectConnection: a server that stays silent is not said to have closed the connection', async () => {
  await using scope = new AsyncDisposableStack();
  const problem = await problemWith(
    scope,
    {},
    (socket) => socket.on('error', () => {}).resume(),
    (to) => new DirectConnection(to, 1500),
  );
  assert.equal(problem, 'it did not answer within 1.5 s');
});

test('DirectConnection: a server that closes the connection without a word is taken for one that wants a certificate', async () => {
  await using scope = new AsyncDisposableStack();
  const problem = await problemWith(scope, {}, (socket) =>
    socket.on('error', () => {}).once('data', () => socket.destroy()),
  );
  assert.equal(problem, 'it asks for a client certificate: it is not in maintenance mode');
});

test('DirectConnection: a reader takes messages in linear time, however many have arrived', {
  timeout: 120_000,
}, async () => {
  const count = 400_000;
  handler = (stream) => {
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    // Empty messages: a prefix and nothing else.
    stream.end(Buffer.alloc(5 * count));
  };
  using connection = new DirectConnection(init);
  await isReady(connection);
  const replies = connection.client(definition, noTelemetry).many?.(hello, {}) as AsyncIterable<Message>;
  let taken = 0;
  for await (const { text } of replies) taken += text === '' ? 1 : 0;
  assert.equal(taken, count);
});

test('DirectConnection: a message that is cut off is a failure, whatever the status says', async () => {
  handler = (stream) => {
    stream.respond(head, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.write(framed('first'));
    stream.end(framed('sec', 6));
  };
  using connection = new DirectConnection(init);
  const { messages, error } = await callOf(connection, { key: 'many' });
  assert.deepEqual([messages, error], [['first'], [13, 'Received a message that is cut off: 3 of 6 bytes']]);
});

test('DirectConnection: a name whose first address cannot do TLS is reached at its next one', async (context) => {
  const { port } = init.endpoint;
  const broken = createServer((socket) => socket.destroy()).listen(port, '127.0.0.2');
  await once(broken, 'listening');
  context.after(() => broken.close());
  type Found = (error: null, addresses: readonly { address: string; family: number }[]) => void;
  context.mock.method(dns, 'lookup', (_host: string, _options: unknown, found: Found) =>
    found(null, [
      { address: '127.0.0.2', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]),
  );
  using connection = new DirectConnection({
    ...init,
    endpoint: { host: 'cp.example', port, address: `cp.example:${port}` },
  });
  connection.connect();
  await eventually(() => connection.state() === 'ready', { what: 'connection to the next address' });
});
