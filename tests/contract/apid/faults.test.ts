import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { ports } from '@nodewright/contract';
import { eventually } from '@nodewright/testkit';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { type Backend, type BackendCall, type Behaviour, reply } from './harness/backend.ts';
import type { CallResult } from './harness/client.ts';
import { freeLoopbackAddress } from './harness/loopback.ts';
import { framed } from './harness/messages.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const apid = scope.use(await ApidUnderTest.start());
const peer = await apid.peer('node02');
const admin = await apid.client();
const reader = await apid.client('os:reader');

const applyConfiguration = '/machine.MachineService/ApplyConfiguration';
const importImage = '/machine.ImageService/Import';
const memory = '/machine.MachineService/Memory';

/** Sends a part of the answer, then `then` happens. */
const partly =
  (bytes: Buffer, then: (call: BackendCall) => void): Behaviour =>
  (call) => {
    call.stream.resume();
    call.respond();
    if (bytes.length > 0) call.stream.write(bytes);
    setTimeout(then, 30, call);
  };
const die = (call: BackendCall) => call.session.socket.destroy();
const reset = (code: number) => (call: BackendCall) => call.stream.close(code);
const message = framed(Buffer.from('whole'));

interface Row {
  readonly what: string;
  readonly behave: Behaviour;
  readonly code: number;
  /** Text that follows the name of the hop. */
  readonly text: RegExp;
  /** What the client received of the answer. */
  readonly body?: Buffer;
}

const rows: Row[] = [
  { what: 'dies before answering', behave: die, code: 14, text: /^ closed the connection before answering/ },
  {
    what: 'dies after its headers',
    behave: partly(Buffer.alloc(0), die),
    code: 14,
    text: /^ closed the connection in the middle of its answer/,
  },
  {
    what: 'dies inside a message',
    behave: partly(message.subarray(0, 7), die),
    code: 14,
    text: /^ closed the connection in the middle of its answer/,
    body: message.subarray(0, 7),
  },
  {
    what: 'dies after its last message, before the trailers',
    behave: partly(message, die),
    code: 14,
    text: /^ closed the connection in the middle of its answer/,
    body: message,
  },
  {
    what: 'says GOAWAY with an error and closes',
    behave(call) {
      call.session.goaway(11);
      setTimeout(() => call.session.destroy(), 20);
    },
    code: 14,
    text: /^ closed the connection before answering: GOAWAY ENHANCE_YOUR_CALM/,
  },
  {
    what: 'ends without trailers',
    behave(call) {
      call.stream.resume();
      call.stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      call.stream.end(message);
    },
    code: 13,
    text: /^ ended the call without a status/,
    body: message,
  },
  {
    what: 'ends with OK inside a message',
    behave: partly(message.subarray(0, 7), (call) => call.finish()),
    code: 13,
    text: /^ ended its answer inside a message: 2 of 5 bytes/,
    body: message.subarray(0, 7),
  },
  {
    what: 'answers HTTP 503',
    behave: (call) => call.stream.respond({ ':status': 503 }, { endStream: true }),
    code: 14,
    text: /^ answered HTTP 503 instead of gRPC/,
  },
  {
    what: 'answers with a page',
    behave: (call) =>
      call.stream.respond({ ':status': 200, 'content-type': 'text/html' }, { endStream: true }),
    code: 2,
    text: /^ answered content type "text\/html" instead of gRPC/,
  },
  ...(
    [
      [1, 13, 'PROTOCOL_ERROR'],
      [2, 13, 'INTERNAL_ERROR'],
      [3, 13, 'FLOW_CONTROL_ERROR'],
      [5, 2, 'STREAM_CLOSED'],
      [8, 1, 'CANCEL'],
      [11, 8, 'ENHANCE_YOUR_CALM'],
      [12, 7, 'INADEQUATE_SECURITY'],
    ] as const
  ).flatMap(([h2Code, code, name]): Row[] => [
    {
      what: `resets with ${name}`,
      behave: reset(h2Code),
      code,
      text: new RegExp(`^ reset the call: ${name}`),
    },
    {
      what: `resets with ${name} inside its answer`,
      behave: partly(message, reset(h2Code)),
      code,
      text: new RegExp(`^ reset the call: ${name}`),
      body: message,
    },
  ]),
  {
    what: 'refuses the call',
    behave: reset(7),
    code: 14,
    text: /^ refused the call: it is stopping or overloaded/,
  },
];

/**
 * Makes calls with a short deadline, and repeats with a longer one when it passed before the call had reached
 * the state that `isFar` checks.
 */
async function untilReached(
  backend: Backend,
  metadata: readonly (readonly [string, string])[],
  isFar: (result: CallResult) => boolean = () => true,
): Promise<{ result: CallResult; seconds: number }> {
  for (const milliseconds of [120, 1000, 10_000]) {
    const before = backend.calls.length;
    const result = await admin.call(memory, {
      metadata: [...metadata, ['grpc-timeout', `${milliseconds}m`]],
    });
    if (backend.calls.length > before && isFar(result)) return { result, seconds: milliseconds / 1000 };
  }
  throw new Error('no call came so far within 10 s');
}

for (const [hop, backend, metadata, name, via] of [
  ['machined', apid.machined, [], 'machined on node01', ''],
  ['node02', peer.backend, [['node', 'node02']], 'node "node02"', ' (via node01)'],
] as const) {
  for (const { what, behave, code, text, body = Buffer.alloc(0) } of rows) {
    test(`a client gets a status that names the hop when ${hop} ${what}`, async () => {
      backend.behave = behave;
      const result = await admin.call(memory, { metadata });
      backend.behave = reply();
      assert.deepEqual(
        { code: result.code, rstCode: result.rstCode, body: result.body },
        { code, rstCode: 0, body },
      );
      assert.ok(result.message.startsWith(name), result.message);
      assert.ok(result.message.endsWith(via), result.message);
      assert.match(result.message.slice(name.length, result.message.length - via.length), text);
      // The next call succeeds.
      assert.equal((await admin.call(memory, { metadata })).code, 0);
    });
  }

  test(`messages of ${hop} over 32 MiB end the call with RESOURCE_EXHAUSTED, after those before`, async () => {
    backend.behave = partly(Buffer.concat([message, framed(Buffer.alloc(9), 33_554_433)]), () => {});
    const result = await admin.call(memory, { metadata });
    backend.behave = reply();
    assert.deepEqual(
      [result.code, result.message, result.body],
      [8, `grpc: received message larger than max (33554433 vs. 33554432) from ${name}${via}`, message],
    );
  });

  test(`when a deadline passes while ${hop} works, apid answers and cancels the call`, async () => {
    const closed = Promise.withResolvers<number>();
    backend.behave = ({ stream }) => stream.on('close', () => closed.resolve(stream.rstCode));
    const { result, seconds } = await untilReached(backend, metadata);
    backend.behave = reply();
    assert.deepEqual(
      [result.code, result.message],
      [4, `deadline exceeded after ${seconds}s while waiting for ${name}${via}`],
    );
    assert.equal(await closed.promise, 8);
  });

  test(`a deadline that passes in the middle of an answer of ${hop} ends it with trailers`, async () => {
    backend.behave = partly(message, () => {});
    const { result } = await untilReached(backend, metadata, ({ body }) => body.length > 0);
    backend.behave = reply();
    assert.deepEqual([result.code, result.body, result.rstCode], [4, message, 0]);
  });
}

test('a deadline that passes while apid connects to a node says so', async () => {
  const address = await freeLoopbackAddress();
  const silent = createServer(() => {}).listen(ports.apid, address);
  await once(silent, 'listening');
  const result = await admin.call(memory, {
    metadata: [
      ['node', address],
      ['grpc-timeout', '100m'],
    ],
  });
  silent.close();
  assert.deepEqual(
    [result.code, result.message],
    [4, `deadline exceeded after 0.1s while connecting to node "${address}" (via node01)`],
  );
});

test('a request that is too long for its method, and one that ends inside a message, are refused', async () => {
  apid.machined.behave = ({ stream }) => stream.resume();
  const results = await Promise.all([
    admin.call(importImage, { body: framed(Buffer.alloc(3), 33_554_433) }),
    admin.call(applyConfiguration, { body: framed(Buffer.alloc(3), 8_454_145) }),
    admin.call(applyConfiguration, {
      body: framed(Buffer.alloc(3), 8_454_145),
      metadata: [['nodes', 'node02']],
    }),
    reader.call(memory, { body: framed(Buffer.alloc(3), 65_537) }),
    reader.call(memory, { body: framed(Buffer.alloc(3), 65_537), metadata: [['nodes', 'node02']] }),
    admin.call(memory, { body: framed(Buffer.alloc(3), 9) }),
    admin.call(memory, { body: Buffer.from([0, 0]) }),
  ]);
  apid.machined.behave = reply();
  const start = 'failed proxying s2c: rpc error: code =';
  const longConfiguration =
    'the request has 8454145 bytes; a request with a configuration may have at most 8454144';
  assert.deepEqual(
    results.map(({ code, message: text }) => [code, text]),
    [
      [
        13,
        `${start} ResourceExhausted desc = grpc: received message larger than max (33554433 vs. 33554432)`,
      ],
      [3, longConfiguration],
      [3, longConfiguration],
      [13, `${start} ResourceExhausted desc = grpc: received message larger than max (65537 vs. 65536)`],
      [13, `${start} ResourceExhausted desc = grpc: received message larger than max (65537 vs. 65536)`],
      [13, `${start} Internal desc = the request ended inside a message: 3 of 9 bytes`],
      [13, `${start} Internal desc = the request ended inside a message: 2 of 5 prefix bytes`],
    ],
  );
});

test('a message of exactly 32 MiB passes', async () => {
  apid.machined.behave = async (call) => {
    const body = await call.body();
    call.respond();
    call.stream.write(body);
    call.finish();
  };
  const body = framed(Buffer.alloc(33_554_432, 7));
  const result = await admin.call(importImage, { body });
  apid.machined.behave = reply();
  assert.deepEqual([result.code, result.body.equals(body)], [0, true]);
});

test('a node that is down is reported with the reason, and found again when it is back', async () => {
  const third = await apid.peer('node03');
  const metadata = [['node', 'node03']] as const;
  assert.equal((await admin.call(memory, { metadata })).code, 0);
  await third.backend[Symbol.asyncDispose]();

  const down = await admin.call(memory, { metadata });
  assert.deepEqual(
    [down.code, down.message],
    [14, `no route to node "node03": connect ECONNREFUSED ${third.address}:50000 (via node01)`],
  );
  // A slow machine may make each call after the time of the next attempt.
  const waiting =
    /^no route to node "node03": connect ECONNREFUSED [\d.:]+, next attempt in \ds \(via node01\)$/;
  const isToldToWait = async () => waiting.test((await admin.call(memory, { metadata })).message);
  await eventually(isToldToWait, { what: 'call that is told when the next attempt is', pollMs: 1 });

  apid.use(await third.listen());
  const isFound = async () => (await admin.call(memory, { metadata })).code === 0;
  await eventually(isFound, { what: 'answer of the node that is back' });
});

test('a node whose certificate does not match the requested name is rejected', async () => {
  await apid.addMember('node04', peer.address);
  const result = await admin.call(memory, { metadata: [['node', 'node04']] });
  assert.equal(result.code, 14);
  assert.match(
    result.message,
    /^no route to node "node04": its certificate is not for "node04": .*node02.*\(via node01\)$/,
  );
});
