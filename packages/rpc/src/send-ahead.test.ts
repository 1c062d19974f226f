import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientHttp2Stream, connect } from 'node:http2';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { ClientError } from 'nice-grpc';
import { createRpcClient, openUnixChannel } from './rpc-client.ts';
import { createRpcServer } from './rpc-server.ts';

const { copy } = MachineServiceDefinition.methods;
const definition = { ...MachineServiceDefinition, methods: { copy } };
const log = createLogger({ name: 'unit', telemetry: noTelemetry, level: 'silent' });

async function withCopy(
  handler: () => AsyncGenerator<{ bytes: Buffer }>,
  body: (path: string) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'rpc-'));
  const path = join(root, 'x.sock');
  const services = [{ definition, implementation: { copy: handler } }];
  const server = createRpcServer({ services, telemetry: noTelemetry, log });
  try {
    await server.listenUnix(path);
    await body(path);
  } finally {
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  }
}

/** A call on its own connection; the test has not read from it. */
async function withStream(
  path: string,
  initialWindowSize: number,
  body: (stream: ClientHttp2Stream) => Promise<void>,
): Promise<void> {
  const session = connect('http://localhost', {
    createConnection: () => createConnection(path),
    settings: { initialWindowSize },
  });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/machine.MachineService/Copy',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  try {
    stream.end(Buffer.alloc(5));
    await body(stream);
  } finally {
    session.destroy();
  }
}

test('small messages that follow each other quickly share frames', async () => {
  const count = 320;
  await withCopy(
    async function* () {
      for (let index = 0; index < count; index += 1) yield { bytes: Buffer.alloc(10, index) };
    },
    (path) =>
      withStream(path, 65_535, async (stream) => {
        let frames = 0;
        let bytes = 0;
        for await (const chunk of stream) {
          frames += 1;
          bytes += chunk.length;
        }
        // Each message has a gRPC header of 5 bytes, a protobuf tag and length of a byte each, and 10 bytes of content.
        assert.equal(bytes, count * (5 + 2 + 10));
        assert.ok(frames < count / 2, `${frames} frames of ${count} messages`);
      }),
  );
});

test('a stream pauses for a slow reader after a few messages, and resumes in order', async () => {
  const count = 500;
  let taken = 0;
  await withCopy(
    async function* () {
      for (; taken < count; taken += 1) yield { bytes: Buffer.alloc(1000, taken) };
    },
    (path) =>
      withStream(path, 2000, async (stream) => {
        while (taken < 16) await pause(5);
        await pause(100);
        // The limit of the library, the messages queued for the socket, and the window.
        assert.ok(taken < 50, `${taken} messages for nobody`);
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        const all = Buffer.concat(chunks);
        assert.equal(all.length, count * 1008);
        const firsts = Array.from({ length: count }, (_, index) => all[index * 1008 + 8]);
        assert.deepEqual(
          firsts,
          Array.from({ length: count }, (_, index) => index % 256),
        );
      }),
  );
});

test('a failing stream sends its status after all of its messages', async () => {
  await withCopy(
    async function* () {
      for (let index = 0; index < 40; index += 1) yield { bytes: Buffer.of(index) };
      throw new Fault('data-loss', 'the disk is gone');
    },
    async (path) => {
      using channel = openUnixChannel(path);
      const client = createRpcClient(definition, channel, { telemetry: noTelemetry });
      const seen: number[] = [];
      await assert.rejects(
        async () => {
          for await (const { bytes } of client.copy({ rootPath: '/' })) seen.push(...bytes);
        },
        (error: unknown) => error instanceof ClientError && error.details === 'the disk is gone',
      );
      assert.deepEqual(
        seen,
        Array.from({ length: 40 }, (_, index) => index),
      );
    },
  );
});
