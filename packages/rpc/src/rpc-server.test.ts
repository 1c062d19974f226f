import assert from 'node:assert/strict';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  HealthCheckResponse_ServingStatus,
  HealthDefinition,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { TimeServiceDefinition, type TimeServiceImplementation } from '@nodewright/contract/gen/time/time.ts';
import { Fault, Secret } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { ClientError, type CompatServiceDefinition, Metadata } from 'nice-grpc';
import { annotateRequest, keepOutOfLog, logAtInfo } from './log-middleware.ts';
import { createRpcClient, openUnixChannel } from './rpc-client.ts';
import { createRpcServer, type RpcServerInit } from './rpc-server.ts';

const incoming = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const implementation: TimeServiceImplementation = {
  async time(_request, context) {
    annotateRequest(context, { server: 'a' });
    return { messages: [{ server: noTelemetry.activeSpan()?.traceparent ?? 'no span' }] };
  },
  async timeCheck({ server }, context) {
    if (server.startsWith('quiet')) keepOutOfLog(context);
    if (server === 'secret read') logAtInfo(context);
    if (server === 'quiet' || server.endsWith('read')) return { messages: [] };
    if (server === 'fault') throw new Fault('not-found', 'no such server');
    if (server.startsWith('quote')) throw new Fault('unknown', `${server}\ud83d`);
    if (server === 'secret') throw new Fault('internal', `token ${new Secret('abc')}`);
    throw new Error('it broke');
  },
};

async function withServer(
  body: (given: { path: string; lines: () => Record<string, unknown>[] }) => Promise<void>,
  init: Partial<RpcServerInit> = {},
  folderName = 's',
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'rpc-'));
  const path = join(root, folderName, 'x.sock');
  let text = '';
  const log = createLogger({
    name: 'unit',
    level: 'debug',
    telemetry: noTelemetry,
    destination: {
      write: (line) => {
        text += line;
      },
    },
  });
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const server = createRpcServer({
    services: [{ definition: TimeServiceDefinition, implementation }],
    telemetry: noTelemetry,
    log,
    ...init,
  });
  try {
    await server.listenUnix(path);
    await body({ path, lines });
  } finally {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  }
}

const timeClient = (path: string, metadata: Record<string, string> = {}) => {
  const channel = openUnixChannel(path);
  return {
    channel,
    client: createRpcClient(TimeServiceDefinition, channel, { telemetry: noTelemetry, metadata }),
  };
};

test('an rpc server listens on a socket whose path is longer than the kernel accepts', async () => {
  await withServer(
    async ({ path }) => {
      assert.ok(path.length > 200);
      const { channel, client } = timeClient(path);
      using _ = channel;
      assert.equal((await client.time({})).messages[0]?.server, 'no span');
    },
    {},
    'd'.repeat(200),
  );
});

test('an rpc server sets the requested modes of its socket and of its directory', async () => {
  const root = await mkdtemp(join(tmpdir(), 'rpc-'));
  const path = join(root, 's', 'x.sock');
  const log = createLogger({ name: 'unit', telemetry: noTelemetry, destination: { write: () => {} } });
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const options = { directoryMode: 0o750, socketMode: 0o660 };
  try {
    for (const given of [options, { ...options, owner }]) {
      await using server = createRpcServer({ services: [], telemetry: noTelemetry, log });
      await server.listenUnix(path, given);
      const modes = [path, join(root, 's')].map(async (name) => (await stat(name)).mode & 0o777);
      assert.deepEqual(await Promise.all(modes), [0o660, 0o750]);
    }
  } finally {
    await rm(root, { recursive: true });
  }
});

test('only its user may use the socket of an rpc server, whatever the umask', async () => {
  const root = await mkdtemp(join(tmpdir(), 'rpc-'));
  const path = join(root, 's', 'x.sock');
  const log = createLogger({ name: 'unit', telemetry: noTelemetry, destination: { write: () => {} } });
  const umask = process.umask();
  try {
    for (const mask of [0, 0o022, 0o177]) {
      process.umask(mask);
      await using server = createRpcServer({ services: [], telemetry: noTelemetry, log });
      await server.listenUnix(path, { directoryMode: 0o771 });
      const modes = [path, join(root, 's')].map(async (name) => (await stat(name)).mode & 0o777);
      assert.deepEqual(await Promise.all(modes), [0o600, 0o771], mask.toString(8));
    }
  } finally {
    process.umask(umask);
    await rm(root, { recursive: true });
  }
});

test('an rpc server fails to listen where the kernel allows no directories', {
  timeout: 60_000,
}, async () => {
  const log = createLogger({ name: 'unit', telemetry: noTelemetry, destination: { write: () => {} } });
  await using server = createRpcServer({ services: [], telemetry: noTelemetry, log });
  await assert.rejects(server.listenUnix('/proc/nodewright/run/x.sock'), { code: 'ENOENT' });
});

test('an rpc server turns faults into statuses and shows only their text', async () => {
  await withServer(async ({ path }) => {
    const { channel, client } = timeClient(path);
    using _ = channel;
    const outcomes = [];
    for (const server of ['fault', 'secret', 'other']) {
      const error = await client.timeCheck({ server }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof ClientError);
      outcomes.push([error.code, error.details]);
    }
    assert.deepEqual(outcomes, [
      [5, 'no such server'],
      [13, 'token ******'],
      [2, 'it broke'],
    ]);
  });
});

test('an rpc server and its connection survive a fault text with half a character, and a very long one', async () => {
  await withServer(async ({ path }) => {
    const { channel, client } = timeClient(path);
    using _ = channel;
    const said = async (server: string) => {
      const failure = await client
        .timeCheck({ server }, { signal: AbortSignal.timeout(60_000) })
        .catch((e) => e);
      return failure instanceof ClientError ? [failure.code, failure.details.slice(-30)] : failure;
    };
    assert.deepEqual(await said('quote '), [2, 'quote \ufffd']);
    assert.deepEqual(await said(`quote ${'x'.repeat(5_000_000)}`), [
      2,
      ' (cut: it has 5000007 characters)'.slice(-30),
    ]);
    assert.deepEqual(await said('fault'), [5, 'no such server']);
  });
});

test("an rpc server logs one line per request, with redacted tokens and the handler's annotations", async () => {
  await withServer(async ({ path, lines }) => {
    const { channel, client } = timeClient(path, { token: 'abcdef.secret', 'talos-role': 'os:reader' });
    using _ = channel;
    await client.time({});
    await client.timeCheck({ server: 'fault' }).catch(() => {});
    const shown = lines().map(({ method, code, error, server, metadata }) => {
      const { token, 'talos-role': role } = metadata as Record<string, string>;
      return { method, code, error, server, token, role };
    });
    assert.deepEqual(shown, [
      {
        method: '/time.TimeService/Time',
        code: 'OK',
        error: undefined,
        server: 'a',
        token: '<hidden>',
        role: 'os:reader',
      },
      {
        method: '/time.TimeService/TimeCheck',
        code: 'NotFound',
        error: 'no such server',
        server: undefined,
        token: '<hidden>',
        role: 'os:reader',
      },
    ]);
  });
});

test('an rpc server logs reads of readers at debug, and failures and reads of secrets at info', async () => {
  await withServer(async ({ path, lines }) => {
    const { channel, client } = timeClient(path);
    using _ = channel;
    await client.timeCheck({ server: 'plain read' });
    await client.timeCheck({ server: 'secret read' });
    await assert.rejects(client.timeCheck({ server: 'fault' }));
    assert.deepEqual(
      lines().map(({ level, code }) => [level, code]),
      [
        ['debug', 'OK'],
        ['info', 'OK'],
        ['info', 'NotFound'],
      ],
    );
  });
});

test('an rpc server logs suppressed requests only when they fail', async () => {
  await withServer(async ({ path, lines }) => {
    const { channel, client } = timeClient(path);
    using _ = channel;
    await client.timeCheck({ server: 'quiet' });
    await assert.rejects(client.timeCheck({ server: 'quiet but wrong' }));
    assert.deepEqual(
      lines()
        .filter(({ msg }) => msg === 'request finished')
        .map(({ code }) => code),
      ['Unknown'],
    );
  });
});

test('an rpc client propagates the active span, with and without metadata of the caller', async () => {
  await withServer(async ({ path }) => {
    const { channel, client } = timeClient(path);
    using _ = channel;
    const span = noTelemetry.startSpan('outer', { parent: incoming });
    const answers = await noTelemetry.withSpan(span, () =>
      Promise.all([client.time({}), client.time({}, { metadata: Metadata({ node: 'a' }) })]),
    );
    assert.deepEqual(
      answers.map(({ messages }) => messages[0]?.server),
      [incoming, incoming],
    );
  });
});

test('an rpc server keeps the trace of its caller active in the handler', async () => {
  await withServer(async ({ path }) => {
    const { channel, client } = timeClient(path, { traceparent: incoming });
    using _ = channel;
    assert.equal((await client.time({})).messages[0]?.server, incoming);
  });
});

test('an rpc server rejects a request larger than its limit', async () => {
  await withServer(
    async ({ path }) => {
      const { channel, client } = timeClient(path);
      using _ = channel;
      await assert.rejects(client.timeCheck({ server: 'x'.repeat(2000) }), { code: 8 });
    },
    { maxMessageSizeBytes: 1000 },
  );
});

test('an rpc server answers health checks, per service and over time', async () => {
  await withServer(async ({ path }) => {
    using channel = openUnixChannel(path);
    const client = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
    const { SERVING } = HealthCheckResponse_ServingStatus;
    assert.equal((await client.check({ service: 'time.TimeService' })).status, SERVING);
    await assert.rejects(client.check({ service: 'a.B' }), { code: 5 });
    for await (const { status } of client.watch({ service: '' })) {
      assert.equal(status, SERVING);
      break;
    }
  });
});

test('an rpc server lists and describes its services by reflection', async () => {
  await withServer(async ({ path }) => {
    using channel = openUnixChannel(path);
    const identity = (bytes: Uint8Array) => Buffer.from(bytes);
    for (const version of ['v1', 'v1alpha']) {
      const definition = {
        serverReflectionInfo: {
          path: `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
          requestStream: true,
          responseStream: true,
          requestSerialize: identity,
          requestDeserialize: identity,
          responseSerialize: identity,
          responseDeserialize: identity,
          options: {},
        },
      } satisfies CompatServiceDefinition;
      const client = createRpcClient(definition, channel, { telemetry: noTelemetry });
      const ask = (field: number, text: string) =>
        Buffer.from(new BinaryWriter().tag(field, WireType.LengthDelimited).string(text).finish());
      const replies: Buffer[] = [];
      async function* questions() {
        yield ask(7, '*');
        yield ask(4, 'time.TimeService');
      }
      for await (const reply of client.serverReflectionInfo(questions())) replies.push(reply);
      assert.deepEqual(
        ['time.TimeService', 'grpc.health.v1.Health', 'machine.MachineService'].map((name) =>
          replies[0]?.includes(name),
        ),
        [true, true, false],
      );
      assert.equal(replies[1]?.includes('TimeCheck'), true);
    }
  });
});
