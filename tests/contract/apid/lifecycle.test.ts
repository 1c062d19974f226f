import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
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
    watch: '/cosi.resource.State/Watch',
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
