// time.TimeService, against a time server of our own on loopback.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { TimeServiceDefinition } from '@nodewright/contract/gen/time/time.ts';
import { createSntpServer } from '@nodewright/sntp';
import { startNode } from './harness/node-under-test.ts';

const aheadMs = 3_600_000;
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const address = '127.0.0.1';
const configured = scope.use(await createSntpServer({ address, port: 0 }));
const ahead = scope.use(
  await createSntpServer({ address, port: 0, clock: { now: () => Date.now() + aheadMs } }),
);
const node = scope.use(await startNode({ timeServer: `${address}:${configured.port}` }));
const client = node.client(TimeServiceDefinition, 'os:reader');

const unixMs = (time: { seconds: bigint; nanos: number } | undefined) =>
  Number(time?.seconds) * 1000 + (time?.nanos ?? 0) / 1e6;

test('Time queries the first configured server and returns both clocks', async () => {
  const { messages } = await client.time({});
  const [time] = messages;
  assert.deepEqual([messages.length, time?.server], [1, `${address}:${configured.port}`]);
  assert.ok(Math.abs(unixMs(time?.remotetime) - unixMs(time?.localtime)) < 2000);
  assert.ok(Math.abs(unixMs(time?.localtime) - Date.now()) < 5000);
});

test('TimeCheck queries the given server and does not set the clock', async () => {
  const { messages } = await client.timeCheck({ server: `${address}:${ahead.port}` });
  const difference = unixMs(messages[0]?.remotetime) - unixMs(messages[0]?.localtime);
  assert.ok(Math.abs(difference - aheadMs) < 2000, `${difference} ms`);
});

test('TimeCheck requires a server, and reports one that does not answer with its timeout', async () => {
  await assert.rejects(client.timeCheck({ server: '' }), { code: 3, details: 'ntp server is required' });
  await assert.rejects(client.timeCheck({ server: 'a b' }), {
    code: 3,
    details: /"a b" is not a time server/,
  });
  const silent = createSocket('udp4');
  silent.bind(0, address);
  await once(silent, 'listening');
  const server = `${address}:${silent.address().port}`;
  silent.close();
  await assert.rejects(client.timeCheck({ server }), {
    code: 14,
    details: new RegExp(`^time server "${server}": .*ECONNREFUSED.* \\(after \\d+ ms\\)$`),
  });
});
