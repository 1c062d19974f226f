import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { Status } from 'nice-grpc';
import { startBridge } from './harness.ts';

test('open streams are limited, and their places come back', async () => {
  await using bridge = await startBridge();
  const stops = Array.from({ length: 16 }, () => new AbortController());
  const streams = stops.map(({ signal }) => bridge.client.events({}, { signal })[Symbol.asyncIterator]());
  await Promise.all(streams.map((stream) => stream.next()));
  assert.equal((await bridge.client.status({})).subscribers, 16);
  await assert.rejects(Array.fromAsync(bridge.client.events({})), {
    code: Status.RESOURCE_EXHAUSTED,
    details: '16 calls of Events are open already',
  });
  // Another client is served meanwhile.
  using other = bridge.connect();
  assert.equal((await Array.fromAsync(other.client.inventory({}))).length, 1);
  for (const stop of stops) stop.abort();
  await Promise.allSettled(streams.map((stream) => stream.next()));
  await eventually(async () => (await bridge.client.status({})).subscribers === 0, { what: 'free places' });
});

test('SIGTERM ends open streams with UNAVAILABLE and removes the socket', async () => {
  await using bridge = await startBridge();
  const stream = bridge.client.events({})[Symbol.asyncIterator]();
  await stream.next();
  const end = assert.rejects(stream.next(), { code: Status.UNAVAILABLE });
  bridge.process.signal('SIGTERM');
  await end;
  assert.deepEqual(await bridge.process.exited, { code: 0, signal: null });
  assert.equal(existsSync(bridge.socket), false);
});

test('only its user reaches the socket, unless it shares it with its group', async () => {
  const modes = async (...args: string[]) => {
    await using bridge = await startBridge({ args });
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    return [mode(dirname(bridge.socket)), mode(bridge.socket)];
  };
  assert.equal((await modes())[0], '700');
  assert.deepEqual(await modes('--shares-socket'), ['750', '660']);
});

test('a udevd that is not there is a reason to read only', async () => {
  await using bridge = await startBridge({ args: ['--udevd', '/nonexistent/udevd'] });
  const { reason, udevd } = await bridge.client.status({});
  assert.match(reason, /there is no \/nonexistent\/udevd|needs root/);
  assert.equal(udevd, undefined);
});
