// udevd-bridge on a node whose devices belong to somebody else.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  HealthCheckResponse_ServingStatus,
  HealthDefinition,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { type InventoryRequest, Mode } from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { Status } from 'nice-grpc';
import { startBridge } from './harness.ts';

const scope = new AsyncDisposableStack();
const bridge = scope.use(await startBridge());
after(() => scope.disposeAsync());
const { client } = bridge;

async function inventory(request: Partial<InventoryRequest> = {}) {
  const pages = await Array.fromAsync(client.inventory(request));
  return { pages, devices: pages.flatMap((page) => page.devices) };
}

test('it says that it only reads, and why, and is healthy', async () => {
  const status = await client.status({});
  assert.equal(status.mode, Mode.MODE_READ_ONLY);
  assert.match(status.reason, /do not belong to the node/);
  assert.deepEqual([status.udevd, status.subscribers], [undefined, 0]);
  using channel = openUnixChannel(bridge.socket);
  const health = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
  assert.equal((await health.check({ service: '' })).status, HealthCheckResponse_ServingStatus.SERVING);
});

test('whatever would change something is refused, with the reason', async () => {
  const attempts = [
    () => client.trigger({ action: 'add' }),
    () => client.trigger({ action: 'change', paths: ['/devices/virtual/net/lo'], reloadsRules: true }),
    () => client.settle({ timeoutMs: 1000 }),
    () => client.loadModule({ module: { $case: 'name', value: 'vxlan' } }),
  ];
  for (const attempt of attempts)
    await assert.rejects(attempt, {
      code: Status.FAILED_PRECONDITION,
      details: /devices are only read here: /,
    });
});

test('a request over a limit is refused before anything else', async () => {
  const long = 'x'.repeat(2000);
  const attempts = [
    () => inventory({ subsystems: Array.from({ length: 65 }, () => 'net') }),
    () => inventory({ subsystems: ['../../etc'] }),
    () => Array.fromAsync(client.events({ subsystems: [long] })),
    () => Array.fromAsync(client.events({ sources: [17 as 0] })),
    () => Array.fromAsync(client.events({ sources: [1, 1, 2] })),
    () => client.trigger({ action: 'remove' }),
    () => client.trigger({ action: 'add', paths: ['/devices/../../etc/shadow'] }),
    () => client.trigger({ action: 'add', paths: Array.from({ length: 257 }, () => '/devices/x') }),
    () => client.settle({ timeoutMs: 0 }),
    () => client.settle({ timeoutMs: 120_001 }),
    () => client.loadModule({}),
    () => client.loadModule({ module: { $case: 'name', value: '../evil' } }),
    () => client.loadModule({ module: { $case: 'modalias', value: long } }),
  ];
  for (const attempt of attempts)
    await assert.rejects(attempt, { code: Status.INVALID_ARGUMENT }, attempt.toString());
  const huge = Array.from({ length: 200 }, () => '/devices/'.padEnd(4000, 'x'));
  await assert.rejects(client.trigger({ action: 'add', paths: huge }), { code: Status.RESOURCE_EXHAUSTED });
});

test('the inventory comes in pages with one position, and names each device once', async () => {
  for (let index = 0; index < 150; index += 1)
    bridge.addDevice('net', `veth${index}`, { IFINDEX: String(index + 1) });
  bridge.addDevice('tty', 'tty0', { MAJOR: '4', MINOR: '0' });
  const { pages, devices } = await inventory({ subsystems: ['net'] });
  assert.equal(devices.length, 150);
  assert.ok(pages.length >= 3 && pages.every((page) => page.devices.length <= 64));
  assert.equal(new Set(devices.map(({ path }) => path)).size, 150);
  assert.equal(new Set(pages.map(({ position }) => `${position?.history} ${position?.sequence}`)).size, 1);
  assert.deepEqual(devices.find(({ name }) => name === 'veth7')?.properties, { IFINDEX: '8' });
  assert.equal((await inventory()).devices.length, 151);
});

test('the first response of Events comes at once, and a position of another run is a gap', async () => {
  const stop = new AbortController();
  const first = async (after?: { history: string; sequence: bigint }) => {
    for await (const response of client.events({ after }, { signal: stop.signal })) return response;
    throw new Error('no response');
  };
  const fresh = await first();
  assert.deepEqual([fresh.gap, fresh.position?.history !== ''], [undefined, true]);
  assert.equal((await first(fresh.position)).gap, undefined);
  assert.equal((await first({ history: 'of an earlier run', sequence: 3n })).gap?.reason, 3);
  assert.equal((await first({ history: fresh.position?.history ?? '', sequence: 2n ** 60n })).gap?.reason, 3);
  stop.abort();
});
