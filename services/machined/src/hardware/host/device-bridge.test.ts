import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  DeviceServiceDefinition,
  type DeviceServiceImplementation,
  EventSource,
  type EventsRequest,
  type EventsResponse,
  GapReason,
  Mode,
} from '@nodewright/contract/gen/suite/devices/v1/devices.ts';
import { createRpcServer, type RpcServer } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { openDeviceBridge } from './device-bridge.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridge-'));
after(() => rmSync(folder, { recursive: true }));
const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });

/** A udevd-bridge with disks that the test adds, which sends the responses that the test gives. */
class FakeBridge {
  readonly #socket: string;
  readonly disks: string[] = ['vda'];
  readonly requests: EventsRequest[] = [];
  inventories = 0;
  firmwareReads = 0;
  receivesEvents = true;
  #responses: EventsResponse[] = [];
  #wake = () => {};
  #server: RpcServer | undefined;

  constructor(socket: string) {
    this.#socket = socket;
  }

  async start(): Promise<void> {
    this.#server = createRpcServer({
      services: [{ definition: DeviceServiceDefinition, implementation: this.#implementation() }],
      ...{ telemetry: noTelemetry, log, drainTimeoutMs: 10 },
    });
    await this.#server.listenUnix(this.#socket);
  }

  async stop(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  send(response: EventsResponse): void {
    this.#responses.push(response);
    this.#wake();
  }

  #implementation(): DeviceServiceImplementation {
    const unimplemented = () => Promise.reject(new Error('not used'));
    const bridge = this;
    return {
      status: async () => ({
        mode: Mode.MODE_READ_ONLY,
        reason: 'test',
        receivesEvents: bridge.receivesEvents,
      }),
      async firmware() {
        bridge.firmwareReads += 1;
        return { system: { productName: 'Standard PC' }, processors: [], memoryModules: [] };
      },
      async *inventory({ subsystems }) {
        bridge.inventories += 1;
        if (subsystems.includes('net')) {
          const value = { driver: 'virtio_net', busPath: '0000:00:03.0' };
          const path = '/devices/x/eth0';
          yield { devices: [{ name: 'eth0', path, subsystem: 'net', details: { $case: 'link', value } }] };
        }
        if (!subsystems.includes('block')) return;
        for (const name of bridge.disks) {
          const disk = { sectorBytes: 512 };
          yield {
            devices: [
              {
                ...{ name, path: `/devices/x/${name}`, subsystem: 'block', type: 'disk' },
                udev: {
                  properties: { ID_FS_TYPE: 'xfs' },
                  links: [`/dev/disk/by-id/${name}`, `/dev/${name}x`],
                },
                details: { $case: 'block', value: { sizeBytes: 1024n, disk } },
              },
            ],
          };
        }
      },
      async *events(request, { signal }) {
        bridge.requests.push(request);
        yield { position: { history: 'h', sequence: 7n } };
        while (!signal.aborted) {
          for (const response of bridge.#responses.splice(0)) yield response;
          const { promise, resolve } = Promise.withResolvers<void>();
          bridge.#wake = resolve;
          signal.addEventListener('abort', () => resolve());
          await promise;
        }
      },
      ...{ trigger: unimplemented, settle: unimplemented, loadModule: unimplemented },
    };
  }
}

const event = (sequence: bigint, name: string, source: EventSource = EventSource.EVENT_SOURCE_KERNEL) => ({
  ...{ sequence, source, action: 'add', path: `/devices/x/${name}`, subsystem: 'block', properties: {} },
});
const response = (sequence: bigint, names: readonly string[], gap?: GapReason): EventsResponse => ({
  position: { history: 'h', sequence },
  gap: gap === undefined ? undefined : { reason: gap },
  events: names.map((name, index) => event(sequence - BigInt(names.length - 1 - index), name)),
});

async function opened(name: string) {
  const scope = new AsyncDisposableStack();
  const bridge = new FakeBridge(join(folder, name, 'devices.sock'));
  await bridge.start();
  scope.defer(() => bridge.stop());
  const source = scope.use(
    openDeviceBridge({
      socket: join(folder, name, 'devices.sock'),
      log,
      retry: { firstMs: 10, longestMs: 50 },
      longestRestMs: 10,
    }),
  );
  const told: (string | undefined)[] = [];
  scope.use(source.listen('block', (each) => void told.push(each && `${each.name} ${each.isProcessed}`)));
  const names = () =>
    source
      .block()
      ?.devices.map((device) => device.name)
      .join();
  await eventually(() => source.state().isConnected && told.length > 0, { what: 'a connection' });
  return { bridge, source, told, names, [Symbol.asyncDispose]: () => scope.disposeAsync() };
}

test('the inventory is read before a listener hears of an event', async () => {
  await using node = await opened('read');
  const { bridge, source, told, names } = node;
  assert.deepEqual([names(), told.splice(0)], ['vda', [undefined]]);
  assert.deepEqual(source.block()?.links, new Map([['vda', ['/dev/disk/by-id/vda']]]));
  assert.equal(source.block()?.records.get('vda')?.get('ID_FS_TYPE'), 'xfs');
  assert.equal(source.linkHardware()?.get('eth0')?.driver, 'virtio_net');
  assert.deepEqual([source.firmware()?.system?.productName, bridge.firmwareReads], ['Standard PC', 1]);
  assert.deepEqual(source.state(), {
    isConnected: true,
    mode: 'read-only',
    reason: 'test',
    problem: '',
    gaps: 0,
  });
  const seen: (string | undefined)[] = [];
  using _listener = source.listen('block', () => void seen.push(names()));
  bridge.disks.push('vdb');
  bridge.send(response(8n, ['vdb']));
  await eventually(() => told.length > 0, { what: 'the event' });
  assert.deepEqual([told, seen], [['vdb false'], ['vda,vdb']]);
});

test('many events are one look at the devices, in their order', async () => {
  await using node = await opened('burst');
  const { bridge, told } = node;
  told.splice(0);
  const before = bridge.inventories;
  for (let sequence = 8n; sequence < 508n; sequence += 1n) bridge.send(response(sequence, [`vd${sequence}`]));
  await eventually(() => told.length === 500, { what: 'all events', timeoutMs: 60_000 });
  assert.deepEqual(
    told,
    Array.from({ length: 500 }, (_, index) => `vd${index + 8} false`),
  );
  assert.ok(bridge.inventories - before < 250, `${bridge.inventories - before} inventories`);
});

test('a restart of udevd-bridge keeps the last state, and continues after the last position', async () => {
  await using node = await opened('restart');
  const { bridge, source, told, names } = node;
  bridge.send(response(9n, ['vda', 'vda']));
  await eventually(() => told.length === 3, { what: 'the events' });
  await bridge.stop();
  await eventually(() => !source.state().isConnected, { what: 'the loss of the connection' });
  assert.match(source.state().problem, /^udevd-bridge does not answer: /);
  assert.equal(names(), 'vda');
  await bridge.start();
  await eventually(() => source.state().isConnected, { what: 'a new connection' });
  assert.deepEqual(
    bridge.requests.map(({ after }) => after),
    [undefined, { history: 'h', sequence: 9n }],
  );
  assert.equal(source.state().problem, '');
});

test('after a gap everything is read again', async () => {
  await using node = await opened('gap');
  const { bridge, source, told, names } = node;
  told.splice(0);
  bridge.disks.push('vdc');
  bridge.send(response(20n, ['vda'], GapReason.GAP_REASON_KERNEL_DROPPED));
  await eventually(() => told.length > 0, { what: 'the gap' });
  assert.deepEqual([told, names(), source.state().gaps], [[undefined], 'vda,vdc', 1]);
});

test('without events of the kernel the state says so', async () => {
  const scope = new AsyncDisposableStack();
  await using _scope = scope;
  const bridge = new FakeBridge(join(folder, 'poll', 'devices.sock'));
  bridge.receivesEvents = false;
  await bridge.start();
  scope.defer(() => bridge.stop());
  const source = scope.use(openDeviceBridge({ socket: join(folder, 'poll', 'devices.sock'), log }));
  await eventually(() => source.state().isConnected, { what: 'a connection' });
  assert.match(source.state().problem, /^devices are read once a minute: /);
});

test('a socket with a long path may be missing at first, with its folder', async () => {
  const socket = join(folder, 'long'.repeat(20), 'path'.repeat(20), 'devices.sock');
  await using source = openDeviceBridge({ socket, log, retry: { firstMs: 10, longestMs: 50 } });
  await eventually(() => source.state().problem.startsWith('udevd-bridge does not answer'), {
    what: 'a failure',
  });
  const bridge = new FakeBridge(socket);
  await bridge.start();
  await eventually(() => source.state().isConnected, { what: 'a connection' });
  await bridge.stop();
});

test('before the first connection nothing is known, and the reason is', async () => {
  await using source = openDeviceBridge({ socket: join(folder, 'none', 'devices.sock'), log });
  await eventually(() => source.state().problem.startsWith('udevd-bridge does not answer'), {
    what: 'a failure',
  });
  const known = [source.block(), source.pci(), source.linkHardware(), source.firmware()];
  assert.deepEqual(known, [undefined, undefined, undefined, undefined]);
});
