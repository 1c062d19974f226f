import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import {
  HealthCheckResponse_ServingStatus,
  HealthDefinition,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { DmesgRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { spawnDaemon } from '@nodewright/testkit';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { type BackendCall, reply } from './harness/backend.ts';
import type { CallOptions } from './harness/client.ts';
import { framed } from './harness/messages.ts';

const memory = '/machine.MachineService/Memory';
const watch = '/cosi.resource.State/Watch';

test('SIGTERM: calls in flight finish, and new calls are refused so that clients use another endpoint', async () => {
  await using apid = await ApidUnderTest.start();
  const admin = await apid.client();
  const idle = await apid.client();
  const started = Promise.withResolvers<BackendCall>();
  apid.machined.behave = (call) => {
    if (call.path === memory) {
      reply()(call);
      return;
    }
    call.stream.resume();
    call.respond();
    call.stream.write(framed(Buffer.from('first')));
    started.resolve(call);
  };
  const call = admin.open('/machine.MachineService/Copy');
  const backendCall = await started.promise;
  await call.headers;

  // Continuous calls: each gets an answer, or is refused in a way that makes a retry safe.
  const outcomes: string[] = [];
  const load = (async () => {
    while (!admin.session.closed) {
      const { code, rstCode } = await admin.call(memory);
      outcomes.push(`${code ?? 'none'} ${rstCode}`);
    }
  })();
  const goaways = [admin, idle].map(
    ({ session }) => new Promise<number>((resolve) => session.once('goaway', resolve)),
  );
  await apid.eventually('an answer', () => outcomes.length > 5);
  apid.process.signal('SIGTERM');
  assert.deepEqual(await Promise.all(goaways), [0, 0]);
  await load;
  const answered = outcomes.filter((outcome) => outcome === '0 0').length;
  const refused = outcomes.filter((outcome) => outcome === 'none 7').length;
  assert.equal(answered + refused, outcomes.length, [...new Set(outcomes)].join(', '));
  assert.equal(apid.machined.calls.length, answered + 1);

  const error = await new Promise((resolve) =>
    connectTcp(apid.port, apid.host).once('error', ({ message }) => resolve(message)),
  );
  assert.match(String(error), /ECONNREFUSED/);

  backendCall.stream.write(framed(Buffer.from('second')));
  backendCall.finish();
  const { code, body } = await call.result;
  assert.deepEqual(
    [code, body],
    [0, Buffer.concat([framed(Buffer.from('first')), framed(Buffer.from('second'))])],
  );
  assert.deepEqual(await apid.process.exited, { code: 0, signal: null });
});

test('SIGTERM: a call that does not end within 10 s gets a status, and apid exits in time', async () => {
  await using apid = await ApidUnderTest.start();
  const admin = await apid.client();
  apid.machined.behave = (call) => call.respond();
  const call = admin.open('/machine.MachineService/Copy');
  await call.headers;
  const start = performance.now();
  apid.process.signal('SIGTERM');
  const { code, message, rstCode } = await call.result;
  assert.deepEqual([code, message, rstCode], [14, 'apid on node01 is shutting down', 0]);
  assert.deepEqual(await apid.process.exited, { code: 0, signal: null });
  const tookMs = performance.now() - start;
  assert.ok(tookMs > 9500, `it took ${tookMs} ms`);
});

test('SIGTERM: calls without an end get what was published before and a status, while downloads go on', async () => {
  await using apid = await ApidUnderTest.start();
  const admin = await apid.client();
  const opened = new Map<string, BackendCall>();
  apid.machined.behave = (call) => {
    call.stream.resume();
    call.respond();
    opened.set(call.path, call);
  };
  const service = '/machine.MachineService';
  const paths = {
    watch,
    events: `${service}/Events`,
    capture: `${service}/PacketCapture`,
    followed: `${service}/Dmesg`,
    log: `${service}/Logs`,
    download: `${service}/Copy`,
  };
  const start = async (path: string, init: CallOptions = {}) => {
    opened.clear();
    const call = admin.open(path, init);
    await apid.eventually(`${path} at machined`, () => opened.has(path));
    return { ...call, at: opened.get(path) ?? assert.fail(path) };
  };
  const calls = {
    watch: await start(paths.watch),
    events: await start(paths.events),
    capture: await start(paths.capture),
    followed: await start(paths.followed, {
      body: framed(DmesgRequest.encode({ follow: true, tail: false }).finish()),
    }),
    log: await start(paths.log),
    download: await start(paths.download),
  };
  const line = framed(Buffer.from('line'));
  // A node that stops logs what it does.
  const logs = [calls.followed, calls.log];
  const writing = setInterval(() => {
    for (const { at } of logs) if (!at.stream.destroyed) at.stream.write(line);
  }, 50);
  try {
    const last = framed(Buffer.from('stopAllServices'));
    calls.events.at.stream.write(last);
    apid.process.signal('SIGTERM');
    const ended = await calls.followed.result;
    assert.deepEqual([ended.code, ended.message], [14, 'apid on node01 is shutting down']);
    for (const name of ['watch', 'events', 'capture'] as const) {
      const { code, message, body } = await calls[name].result;
      const expected = name === 'events' ? last : Buffer.alloc(0);
      assert.deepEqual([name, code, message, body], [name, 14, 'apid on node01 is shutting down', expected]);
    }
  } finally {
    clearInterval(writing);
  }
  // Both would have ended, had the others ended only when the 10 s of all calls were over.
  for (const name of ['log', 'download'] as const) {
    calls[name].at.stream.write(framed(Buffer.from('the rest')));
    calls[name].at.finish();
    const { code, body } = await calls[name].result;
    assert.deepEqual([name, code, body.subarray(-8).toString()], [name, 0, 'the rest']);
  }
  assert.deepEqual(await apid.process.exited, { code: 0, signal: null });
});

test('SIGTERM: a watch whose client does not read is reset, and delays nothing', async () => {
  // node:http2 takes an answer for sent once it waits for the socket, so with that engine such a client holds the stop for 10 s.
  const deaf = process.env.H2_ENGINE === 'node' ? [] : ['reads nothing from its socket'];
  for (const client of ['keeps its window closed', ...deaf]) {
    await using apid = await ApidUnderTest.start();
    const admin = await apid.client();
    const watching = Promise.withResolvers<BackendCall>();
    apid.machined.behave = (call) => {
      call.stream.resume();
      call.respond();
      if (call.path === watch) watching.resolve(call);
    };
    const download = admin.open('/machine.MachineService/Copy');
    await download.headers;
    const isOpen =
      client === 'keeps its window closed' ? await watchUnread(apid) : await watchFromDeafSocket(apid);
    const { stream } = await watching.promise;
    const change = framed(Buffer.alloc(64 * 1024));
    // Until neither the windows nor the buffers on the way have room.
    for (let count = 0; count < 800; count += 1) stream.write(change);
    await apid.eventually('a full path', () => stream.writableLength > 1024 * 1024);

    let isDownloaded = false;
    void download.result.then(() => {
      isDownloaded = true;
    });
    apid.process.signal('SIGTERM');
    await apid.eventually('the end of the watch', () => !isOpen());
    assert.equal(isDownloaded, false, `a client that ${client} was waited for as long as a download`);
    const copy = apid.machined.calls.find(({ path }) => path.endsWith('/Copy')) ?? assert.fail('no download');
    copy.stream.write(framed(Buffer.from('the rest')));
    copy.finish();
    const { code, body } = await download.result;
    assert.deepEqual([code, body.subarray(-8).toString()], [0, 'the rest']);
    assert.deepEqual(await apid.process.exited, { code: 0, signal: null });
  }
});

/** Watches as a program does whose output nobody reads. Returns whether apid keeps the connection. */
async function watchUnread(apid: ApidUnderTest): Promise<() => boolean> {
  const { session, socket } = await apid.client();
  const stream = session.request([':method', 'POST', ':path', watch, 'content-type', 'application/grpc'], {
    endStream: false,
  });
  stream.on('error', () => {});
  stream.pause();
  stream.end(framed(new Uint8Array()));
  const port = socket.localPort ?? assert.fail('the socket has no port');
  return () => isEstablished(apid.port, port);
}

/** Watches as a process does that was stopped: its windows are open, and nothing is read from the socket. */
async function watchFromDeafSocket(apid: ApidUnderTest): Promise<() => boolean> {
  const plain = connectTcp(apid.port, apid.host);
  const socket = connectTls({ ...(await apid.tls('os:admin')), socket: plain, ALPNProtocols: ['h2'] });
  apid.use({ [Symbol.dispose]: () => socket.destroy() });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  const largest = Buffer.from([0x7f, 0xff, 0xff, 0xff]);
  const fields = [
    ...[':method', 'POST', ':scheme', 'https', ':authority', 'node01', ':path', watch],
    ...['content-type', 'application/grpc'],
  ];
  // Literal fields without indexing, of fewer than 127 bytes each.
  const block = Buffer.concat(
    fields.map((text, index) =>
      Buffer.concat([Buffer.from(index % 2 === 0 ? [0, text.length] : [text.length]), Buffer.from(text)]),
    ),
  );
  const initialWindowSize = Buffer.concat([Buffer.from([0, 4]), largest]);
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame(frameType.settings, 0, 0, initialWindowSize));
  socket.write(frame(frameType.windowUpdate, 0, 0, Buffer.from([0x7f, 0xff, 0, 0])));
  socket.write(frame(frameType.headers, endHeaders, 1, block));
  socket.write(frame(frameType.data, endStream, 1, framed(new Uint8Array())));
  plain.pause();
  const port = plain.localPort ?? assert.fail('the socket has no port');
  return () => isEstablished(apid.port, port);
}

const frameType = { data: 0, headers: 1, settings: 4, windowUpdate: 8 } as const;
const [endStream, endHeaders] = [1, 4];

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Whether the server end of a connection is open, which a client that reads nothing cannot see. */
function isEstablished(serverPort: number, clientPort: number): boolean {
  const [server, client] = [serverPort, clientPort].map((port) =>
    port.toString(16).padStart(4, '0').toUpperCase(),
  );
  return new RegExp(`:${server} \\w+:${client} 01 `).test(readFileSync('/proc/net/tcp', 'utf8'));
}

test('a download of a log that pauses, as a busy disk does, is complete after a change of the mode', async () => {
  const [first, second] = ['first', 'second'].map((text) => framed(Buffer.from(text)));
  const resumed = Promise.withResolvers<void>();
  await using apid = await ApidUnderTest.start({
    async machined(call) {
      call.stream.resume();
      call.respond();
      call.stream.write(first);
      await resumed.promise;
      call.stream.write(second);
      call.finish();
    },
  });
  const admin = await apid.client();
  const { result } = admin.open('/machine.MachineService/Logs');
  await apid.eventually('the call', () => apid.machined.calls.length === 1);
  await apid.writeRuntime({ nodeRoutingDisabled: true });
  await apid.listening(2);
  await new Promise((resolve) => setTimeout(resolve, 3500));
  resumed.resolve();
  const { code, message, body } = await result;
  assert.deepEqual(
    [code, message, body],
    [0, '', Buffer.concat([first, second].filter((part) => part !== undefined))],
  );
});

test('the health socket reports whether the gateway listens', async () => {
  await using apid = await ApidUnderTest.prepare();
  await apid.spawn();
  await apid.process.waitForLine('daemon serves');
  using channel = openUnixChannel(apid.healthSocket);
  const client = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
  const { SERVING, NOT_SERVING } = HealthCheckResponse_ServingStatus;
  assert.equal((await client.check({ service: '' })).status, NOT_SERVING);
  await apid.writeRuntime();
  await apid.listening();
  assert.equal((await client.check({ service: '' })).status, SERVING);
});

test('apid names a missing or unknown flag in one line, and exits with 2', async () => {
  for (const [args, text] of [
    [['--runtime-socket', '/x'], /^apid: --machined-socket \(or APID_MACHINED_SOCKET\) is required/],
    [['--nonsense'], /^apid: unknown option '--nonsense'/],
  ] as const) {
    await using apid = await spawnDaemon({ name: 'apid', args });
    assert.equal((await apid.exited).code, 2);
    assert.match(apid.stderr(), text);
    assert.equal(apid.stderr().trim().split('\n').length, 1);
  }
});
