import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import {
  HealthCheckRequest,
  HealthCheckResponse_ServingStatus,
  HealthDefinition,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { engineNamed, engineNames } from '@nodewright/h2';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { HealthServer } from './health-server.ts';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;

/** The methods of the service with messages as bytes, and one that it does not have. */
const raw = (path: string) =>
  ({
    call: {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
      requestDeserialize: (bytes: Uint8Array) => bytes,
      responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
      responseDeserialize: (bytes: Uint8Array) => bytes,
      options: {},
    },
  }) as const;

async function openServer(engine: string) {
  const folder = mkdtempSync(join(tmpdir(), 'health-'));
  const path = join(folder, 'run', 'health.sock');
  const server = new HealthServer(engineNamed(engine));
  await server.listen(path);
  const channel = openUnixChannel(path);
  return {
    server,
    path,
    client: createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry }),
    /** Sends messages to a method, and returns the failure. */
    async failure(
      method: string,
      messages: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    ): Promise<unknown> {
      const { call } = createRpcClient(raw(method), channel, { telemetry: noTelemetry });
      const send = async function* () {
        yield* messages;
      };
      try {
        for await (const _ of call(send()));
      } catch (error) {
        return error;
      }
      return undefined;
    },
    async [Symbol.asyncDispose]() {
      channel[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

for (const engine of engineNames) {
  test(`${engine}: a check tells whether the daemon serves, and knows no services`, async () => {
    await using health = await openServer(engine);
    assert.equal((await health.client.check({ service: '' })).status, NOT_SERVING);
    health.server.setServing(true);
    assert.equal((await health.client.check({ service: '' })).status, SERVING);
    await assert.rejects(health.client.check({ service: 'a.b' }), /unknown service "a.b"/);
    assert.equal(statSync(dirname(health.path)).mode & 0o777, 0o700);
  });

  test(`${engine}: a watch tells each change, and ends with the daemon`, async () => {
    await using health = await openServer(engine);
    const seen: number[] = [];
    await assert.rejects(async () => {
      for await (const { status } of health.client.watch({ service: '' })) {
        seen.push(status);
        if (seen.length === 1) health.server.setServing(true);
        if (seen.length === 2) health.server.setServing(false);
        if (seen.length === 3) await health.server[Symbol.asyncDispose]();
      }
    }, /the daemon is shutting down/);
    assert.deepEqual(seen, [NOT_SERVING, SERVING, NOT_SERVING]);
  });

  test(`${engine}: a watch of another service stays unknown until the client ends it`, async () => {
    await using health = await openServer(engine);
    const answers = health.client.watch({ service: 'a.b' })[Symbol.asyncIterator]();
    assert.equal((await answers.next()).value?.status, SERVICE_UNKNOWN);
    health.server.setServing(true);
    await answers.return?.();
    assert.equal((await health.client.check({ service: '' })).status, SERVING);
  });

  test(`${engine}: bad requests get a status, and the server goes on`, async () => {
    await using health = await openServer(engine);
    const check = '/grpc.health.v1.Health/Check';
    const one = HealthCheckRequest.encode({ service: '' }).finish();
    for (const [method, messages, expected] of [
      ['/a.B/C', [one], /unknown method \/a\.B\/C/],
      [check, [], /not one message/],
      [check, [one, one], /not one message/],
      [check, [new Uint8Array([0xff, 0xff])], /not one message/],
      [check, [new Uint8Array(1025)], /larger than 1024/],
    ] as const)
      assert.match(String(await health.failure(method, messages)), expected);
    assert.equal((await health.client.check({ service: '' })).status, NOT_SERVING);
  });

  test(`${engine}: a call that goes on after its message is ended at once, and nothing of it is kept`, async () => {
    await using health = await openServer(engine);
    const one = HealthCheckRequest.encode({ service: '' }).finish();
    for (const method of ['Check', 'Watch'])
      for (const further of [one, new Uint8Array(1025)]) {
        // The request stays open: only the second message can be the reason for the answer.
        const endless = async function* () {
          yield one;
          yield further;
          await new Promise((resolve) => setTimeout(resolve, 10_000).unref());
        };
        const failure = await health.failure(`/grpc.health.v1.Health/${method}`, endless());
        assert.match(String(failure), /not one message|larger than 1024/);
      }
    await eventually(() => health.server.watchCount === 0, { what: 'end of the watches' });
  });

  test(`${engine}: a name with a line break is quoted, and stays in the status`, async () => {
    await using health = await openServer(engine);
    await assert.rejects(health.client.check({ service: 'a\nb' }), /unknown service "a\\nb"/);
  });

  test(`${engine}: a 65th connection is refused, and closed ones make room`, async () => {
    await using health = await openServer(engine);
    const sockets = Array.from({ length: 64 }, () => connect(health.path));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const further = connect(health.path);
    further.resume();
    await once(further, 'close');
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    const isServed = async () => (await health.client.check({ service: '' })).status === NOT_SERVING;
    await eventually(isServed, { what: 'room after the end of the other connections' });
  });
}

test('only its user may use the socket of the health server, whatever the umask', async () => {
  const umask = process.umask();
  const modes: string[] = [];
  try {
    for (const mask of [0, 0o022, 0o177])
      for (const engine of engineNames) {
        process.umask(mask);
        await using health = await openServer(engine);
        for (const path of [health.path, dirname(health.path)])
          modes.push((statSync(path).mode & 0o777).toString(8));
      }
  } finally {
    process.umask(umask);
  }
  assert.deepEqual(
    modes,
    [0, 1, 2].flatMap(() => engineNames.flatMap(() => ['600', '700'])),
  );
});
