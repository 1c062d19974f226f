// What a server responds to requests that no handler can process.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TimeServiceDefinition } from '@nodewright/contract/gen/time/time.ts';
import { Fault } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { type CallOptions, ClientError, type CompatServiceDefinition, Metadata } from 'nice-grpc';
import { createRpcClient, openUnixChannel } from './rpc-client.ts';
import { createRpcServer } from './rpc-server.ts';
import { unknownMethodText } from './unknown-method.ts';

const bytes = (value: Uint8Array) => Buffer.from(value);
const asBytes = { requestSerialize: bytes, requestDeserialize: bytes, responseSerialize: bytes } as const;
const raw = { ...asBytes, responseDeserialize: bytes, options: {} } as const;
const broken = Buffer.from('ffffffffff', 'hex');

/** A service of streams whose messages are numbers below 128. */
const decodeNumber = (message: Uint8Array) => {
  if (message.length !== 1) throw new Error(`a number has one byte, not ${message.length}`);
  return message[0];
};
const sumDefinition = {
  sum: {
    ...raw,
    path: '/unit.Numbers/Sum',
    requestStream: true,
    responseStream: false,
    requestDeserialize: decodeNumber,
  },
} as const;

const scope = new AsyncDisposableStack();
const lines: Record<string, unknown>[] = [];
let path = '';
before(async () => {
  const root = await mkdtemp(join(tmpdir(), 'rpc-'));
  scope.defer(() => rm(root, { recursive: true }));
  path = join(root, 'x.sock');
  const server = scope.use(
    createRpcServer({
      services: [
        { definition: TimeServiceDefinition, implementation: { time: () => ({}), timeCheck: () => ({}) } },
        {
          definition: sumDefinition as unknown as CompatServiceDefinition,
          implementation: {
            async sum(numbers: AsyncIterable<number>) {
              let total = 0;
              for await (const number of numbers) total += number;
              return Buffer.from([total]);
            },
          },
        },
      ],
      middleware: [
        async function* (call, context) {
          if (context.metadata.get('who') === 'stranger') throw new Fault('permission-denied', 'not for you');
          return yield* call.next(call.request, context);
        },
      ],
      telemetry: noTelemetry,
      log: createLogger({
        name: 'unit',
        telemetry: noTelemetry,
        destination: { write: (line) => void lines.push(JSON.parse(line)) },
      }),
    }),
  );
  await server.listenUnix(path);
});
after(() => scope.disposeAsync());

/** The code and the details of a call with these messages. */
async function outcome(method: string, messages: readonly Uint8Array[], options: CallOptions = {}) {
  const definition = { call: { ...raw, path: method, requestStream: true, responseStream: false } } as const;
  using channel = openUnixChannel(path);
  const client = createRpcClient(definition, channel, { telemetry: noTelemetry });
  async function* all() {
    yield* messages;
  }
  try {
    return [0, [...(await client.call(all(), options))]];
  } catch (error) {
    assert.ok(error instanceof ClientError);
    return [error.code, error.details];
  }
}

test('rejects a request that cannot be decoded with INVALID_ARGUMENT, and logs it', async () => {
  const [code, details] = await outcome('/time.TimeService/TimeCheck', [broken]);
  assert.equal(code, 3);
  assert.match(String(details), /^the request of \/time\.TimeService\/TimeCheck cannot be decoded: \S/);
  assert.deepEqual(lines.map(({ method, code: name }) => [method, name]).at(-1), [
    '/time.TimeService/TimeCheck',
    'InvalidArgument',
  ]);
});

test('ends a stream with INVALID_ARGUMENT when one of its messages cannot be decoded', async () => {
  assert.deepEqual(await outcome('/unit.Numbers/Sum', [Buffer.of(2), Buffer.of(3)]), [0, [5]]);
  assert.deepEqual(await outcome('/unit.Numbers/Sum', [Buffer.of(1), Buffer.of(2, 3), Buffer.of(4)]), [
    3,
    'the request of /unit.Numbers/Sum cannot be decoded: a number has one byte, not 2',
  ]);
});

test('reports a denied permission before an invalid request', async () => {
  const stranger = { metadata: Metadata({ who: 'stranger' }) };
  assert.deepEqual(await outcome('/time.TimeService/TimeCheck', [broken], stranger), [7, 'not for you']);
});

test('the health and reflection services reject undecodable requests like every other service', async () => {
  const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  for (const method of ['/grpc.health.v1.Health/Check', reflection]) {
    const [code, details] = await outcome(method, [broken]);
    assert.equal(code, 3);
    assert.equal(String(details).split(':')[0], `the request of ${method} cannot be decoded`);
  }
});

test('reports unknown methods and services with the texts that clients expect', async () => {
  const methods = ['/time.TimeService/Nope', '/no.such.Service/Time', '/time.TimeServic/Time'];
  assert.deepEqual(await Promise.all(methods.map((method) => outcome(method, [broken]))), [
    [12, 'unknown method Nope for service time.TimeService'],
    [12, 'unknown service no.such.Service'],
    [12, 'unknown service time.TimeServic'],
  ]);
});

test('unknownMethodText() describes a malformed method path', () => {
  const known = ['/a.B/C'];
  const rows = ['/a.B/', '/a/B/C', 'a.B/D', '/', '', '/a.B'].map((given) => unknownMethodText(given, known));
  assert.deepEqual(rows, [
    'unknown method  for service a.B',
    'unknown service a/B',
    'unknown method D for service a.B',
    'malformed method name: "/"',
    'malformed method name: ""',
    'malformed method name: "/a.B"',
  ]);
});
