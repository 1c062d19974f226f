import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { createRpcServer } from './rpc-server.ts';
import { localTransportLimits, type TransportLimits } from './transport-limits.ts';

const log = createLogger({ name: 'unit', telemetry: noTelemetry, level: 'silent' });
const { memory, etcdRecover } = MachineServiceDefinition.methods;

const definition = { ...MachineServiceDefinition, methods: { memory, etcdRecover } };
const implementation = {
  memory: async () => ({ messages: [] }),
  async etcdRecover(chunks: AsyncIterable<unknown>) {
    for await (const _ of chunks) {
    }
    return { messages: [] };
  },
};

/** A server with these limits, and a function that connects to it. */
async function withServer(
  limits: Partial<TransportLimits>,
  body: (dial: () => ClientHttp2Session) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'rpc-'));
  const path = join(root, 'x.sock');
  const sessions: ClientHttp2Session[] = [];
  const server = createRpcServer({
    services: [{ definition, implementation }],
    telemetry: noTelemetry,
    log,
    drainTimeoutMs: 100,
    transportLimits: { ...localTransportLimits, ...limits },
  });
  try {
    await server.listenUnix(path);
    await body(() => {
      const session = connect('http://localhost', { createConnection: () => createConnection(path) });
      session.on('error', () => {});
      sessions.push(session);
      return session;
    });
  } finally {
    for (const session of sessions) session.destroy();
    await server[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  }
}

function open(session: ClientHttp2Session, method: string): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/machine.MachineService/${method}`,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => {});
  return stream;
}

/** `grpc-status` and `grpc-message` of a call; the HTTP/2 error code when there is no status. */
async function statusOf(stream: ClientHttp2Stream): Promise<[number, string]> {
  let fields: Record<string, unknown> = {};
  const keep = (more: object) => {
    fields = { ...fields, ...more };
  };
  stream.on('response', keep);
  stream.on('trailers', keep);
  stream.resume();
  await once(stream, 'close');
  return [Number(fields['grpc-status'] ?? -stream.rstCode), String(fields['grpc-message'] ?? '')];
}

/** A message of the given size, or its first `sentBytes` bytes. */
function message(bodyBytes: number, sentBytes = bodyBytes): Buffer {
  const framed = Buffer.alloc(5 + sentBytes);
  framed.writeUInt32BE(bodyBytes, 1);
  return framed;
}

/** The wire form of one chunk of a streamed request: field 2, as bytes. */
function chunkMessage(bytes: number): Buffer {
  const length = Buffer.from([(bytes & 0x7f) | 0x80, ((bytes >> 7) & 0x7f) | 0x80, bytes >> 14]);
  const body = Buffer.concat([Buffer.from([0x12]), length, Buffer.alloc(bytes)]);
  return Buffer.concat([message(body.length, 0), body]);
}

test("an rpc server rejects a call whose unfinished body exceeds its connection's budget, and serves others", async () => {
  await withServer({ connectionReceiveBytes: 100_000 }, async (dial) => {
    const [greedy, other] = [dial(), dial()];
    const first = open(greedy, 'Memory');
    first.write(message(1_000_000, 60_000));
    await delay(20);
    const second = open(greedy, 'Memory');
    second.write(message(1_000_000, 60_000));
    assert.deepEqual(await statusOf(second), [
      8,
      'requests under way on this connection hold more than 100000 bytes, try again later',
    ]);
    const fine = open(other, 'Memory');
    fine.end(message(60_000));
    assert.equal((await statusOf(fine))[0], 0);
    first.close();
    await once(first, 'close');
    // The bytes of the cancelled call are free again.
    let [code] = [-1];
    while (code !== 0) {
      const again = open(greedy, 'Memory');
      again.end(message(60_000));
      [code] = await statusOf(again);
    }
  });
});

test('an rpc server rejects bodies that exceed the budget shared by all connections', async () => {
  await withServer({ serverReceiveBytes: 100_000 }, async (dial) => {
    open(dial(), 'Memory').write(message(1_000_000, 60_000));
    await delay(20);
    const second = open(dial(), 'Memory');
    second.write(message(1_000_000, 60_000));
    assert.deepEqual(await statusOf(second), [
      8,
      'requests under way on this server hold more than 100000 bytes, try again later',
    ]);
  });
});

test('an rpc server accepts a stream longer than its budget while each message is read', async () => {
  await withServer({ connectionReceiveBytes: 100_000 }, async (dial) => {
    const stream = open(dial(), 'EtcdRecover');
    const status = statusOf(stream);
    for (let sent = 0; sent < 40; sent += 1) {
      if (!stream.write(chunkMessage(20_000))) await once(stream, 'drain');
    }
    stream.end();
    assert.deepEqual(await status, [0, 'OK']);
  });
});

test('an rpc server keeps the connection of a client that cancels 2,000 calls', async () => {
  await withServer({}, async (dial) => {
    const session = dial();
    const goaways: number[] = [];
    session.on('goaway', (code) => goaways.push(code));
    for (let round = 0; round < 20; round += 1) {
      const calls = Array.from({ length: 100 }, () => open(session, 'EtcdRecover'));
      await delay(1);
      for (const call of calls) call.close(8);
      await Promise.all(calls.map((call) => call.destroyed || once(call, 'close')));
    }
    const call = open(session, 'Memory');
    call.end(message(0));
    assert.deepEqual([await statusOf(call), goaways], [[0, 'OK'], []]);
  });
});

test('an rpc server announces to each connection how many calls it may have open', async () => {
  await withServer({ maxConcurrentCalls: 3 }, async (dial) => {
    const session = dial();
    await once(session, 'remoteSettings');
    assert.equal(session.remoteSettings.maxConcurrentStreams, 3);
  });
});
