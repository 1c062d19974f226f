import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { type KindRef, pointerTo, putResource } from '@nodewright/state';
import {
  bootIds,
  devicesStatuses,
  kernelCmdlines,
  kernelModuleSpecs,
  kernelModuleStatuses,
  kernelParamStatuses,
  kmsgLogConfigs,
  loadedKernelModules,
  machineConfigs,
  networkStatuses,
  securityStates,
  versions,
  watchdogTimerConfigs,
} from '@nodewright/state/kinds';
import { LogStore } from '../../host/log-store.ts';
import { servicesControllers } from '../../services/controllers/services-controllers.ts';
import { ChangingServices } from '../../testing/changing-services.ts';
import { type RuntimeControllersInit, runtimeControllers } from './runtime-controllers.ts';

function openNode(init: Partial<RuntimeControllersInit> & { readonly files?: Record<string, string> } = {}) {
  const { files = {} } = init;
  const services = new ChangingServices();
  const logs = new LogStore();
  const runtime = openTestRuntime({
    controllers: [
      ...servicesControllers({ services }),
      ...runtimeControllers({
        logs,
        bootId: 'boot-1',
        mode: 'process',
        hasUdevd: false,
        kernelRelease: '6.1',
        extensions: [],
        read: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
        now: Date.now,
        bootTimeMs: () => 0,
        ...init,
      }),
    ],
  });
  const { state } = runtime;
  const settled = async () => {
    // Events are followed outside of the store.
    await new Promise(setImmediate);
    await runtime.settled();
  };
  return {
    runtime,
    state,
    services,
    logs,
    settled,
    async put<S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) {
      await putResource(state, { ...pointerTo(kind, id), spec });
      await settled();
    },
    async configure(text: string) {
      await putResource(state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec: text });
      await settled();
    },
    specs: async <S>(kind: KindRef<S>) =>
      (await state.list(kind)).map(({ metadata, spec }) => [metadata.id, spec] as const),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

test('what is known of the machine from its start on', async () => {
  const files = { '/proc/cmdline': 'quiet selinux=1\n', '/sys/fs/selinux/enforce': '1' };
  await using node = openNode({ files });
  await node.settled();
  const [[, version] = []] = await node.specs(versions);
  assert.equal(version?.name, 'Talos');
  assert.deepEqual(await node.specs(bootIds), [['boot-id', { bootID: 'boot-1' }]]);
  assert.deepEqual(await node.specs(kernelCmdlines), [['cmdline', { cmdline: 'quiet selinux=1' }]]);
  assert.deepEqual(await node.specs(devicesStatuses), [['devices', { ready: true }]]);
  const [[, security] = []] = await node.specs(securityStates);
  assert.equal(security?.selinuxState, 'enabled, enforcing');
});

test('devices are ready once udevd is well where it is one of the services', async () => {
  await using node = openNode({ hasUdevd: true });
  node.services.set('udevd', 'Running');
  await node.settled();
  assert.deepEqual(await node.specs(devicesStatuses), []);
  node.services.set('udevd', 'Running', true);
  await node.settled();
  assert.deepEqual(await node.specs(devicesStatuses), [['devices', { ready: true }]]);
});

test('parameters of the kernel are what they are, and unsupported unless they are as wanted', async () => {
  const files = { '/proc/sys/net/ipv4/ip_forward': '1\n', '/proc/sys/vm/swappiness': '60\n' };
  await using node = openNode({ files });
  await node.configure('version: v1alpha1\nmachine: { sysctls: { vm.swappiness: "10" } }\n');
  const statuses = new Map(await node.specs(kernelParamStatuses));
  const wanted = { current: '1', default: '1', unsupported: false };
  assert.deepEqual(statuses.get('proc.sys.net.ipv4.ip_forward'), wanted);
  assert.deepEqual(statuses.get('proc.sys.vm.swappiness'), {
    current: '60',
    default: '60',
    unsupported: true,
  });
  await node.configure('version: v1alpha1\nmachine: {}\n');
  assert.equal(new Map(await node.specs(kernelParamStatuses)).has('proc.sys.vm.swappiness'), false);
});

test('modules of the kernel are looked at again now and then', async () => {
  const files = {
    '/proc/modules': 'loop 1024 0 - Live 0x0\n',
    '/lib/modules/6.1/modules.builtin': 'kernel/fs/ext4/ext4.ko\n',
  };
  await using node = openNode({ files });
  await node.runtime.advance(500);
  const ids = async () => (await node.specs(kernelModuleStatuses)).map(([id]) => id);
  assert.deepEqual(await ids(), ['ext4', 'loop']);
  files['/proc/modules'] = 'dummy 1 0 - Live 0x0\n';
  await node.runtime.advance(30_000);
  assert.deepEqual(await ids(), ['dummy', 'ext4']);
  assert.deepEqual(
    (await node.specs(loadedKernelModules)).map(([id]) => id),
    ['dummy'],
  );
});

test('settings of the configuration are resources while it has them', async () => {
  const kinds: readonly KindRef[] = [kernelModuleSpecs, kmsgLogConfigs, watchdogTimerConfigs];
  await using node = openNode();
  const all = async () => (await Promise.all(kinds.map((kind) => node.specs(kind)))).flat();
  await node.configure(`version: v1alpha1
machine:
  kernel: { modules: [{ name: loop, parameters: [max_loop=8] }] }
---
apiVersion: v1alpha1
kind: WatchdogTimerConfig
device: /dev/watchdog0
timeout: 2m
---
apiVersion: v1alpha1
kind: KmsgLogConfig
name: one
url: tcp://127.0.0.1:1
---
apiVersion: v1alpha1
kind: KmsgLogConfig
name: two
url: tcp://127.0.0.1:1
`);
  assert.deepEqual(await all(), [
    ['loop', { string: 'loop', parameters: ['max_loop=8'] }],
    ['kmsg-log', { destinations: ['tcp://127.0.0.1:1'] }],
    ['timer', { device: '/dev/watchdog0', timeout: 120_000 }],
  ]);
  await node.configure('version: v1alpha1\nmachine: {}\n');
  assert.deepEqual(await all(), []);
});

test('logs go where the configuration says, as soon as it says so', async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().trimEnd().split('\n')) {
        const { msg, site } = JSON.parse(line);
        received.push(`${site}: ${msg}`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const until = async (count: number) => {
    for (let tried = 0; tried < 500 && received.length < count; tried++) await sleep(10);
  };
  const destination = (site: string) => `version: v1alpha1
machine:
  logging:
    destinations:
      - { endpoint: "tcp://127.0.0.1:${port}", format: json_lines, extraTags: { site: ${site} } }
`;
  {
    await using node = openNode();
    const log = node.logs.open('apid');
    log.write('before\n');
    await node.configure(destination('a'));
    await until(1);
    await node.configure(destination('b'));
    log.write('after\n');
    await until(2);
    await node.configure('version: v1alpha1\nmachine: {}\n');
    log.write('kept\n');
  }
  server.close();
  assert.deepEqual(received, ['a: before', 'b: after']);
});

test("the kernel's log goes where the configuration says once the node has an address", async () => {
  const socket = createSocket('udp4');
  const received: unknown[] = [];
  socket.on('message', (message) => received.push(JSON.parse(message.toString())));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const record = { priority: 4, facility: 0, sequence: 5n, sinceBootUs: 1n, text: Buffer.from('hot\n') };
  const left = [record];
  const openLog = () => ({
    next: () => left.splice(0, 1).map((each) => ({ kind: 'record', record: each }) as const)[0],
    [Symbol.dispose]() {},
  });
  await using node = openNode({ openKernelLog: openLog });
  const url = `udp://127.0.0.1:${socket.address().port}`;
  await node.configure(`apiVersion: v1alpha1\nkind: KmsgLogConfig\nname: one\nurl: ${url}\n`);
  const ready = { addressReady: true, connectivityReady: false, hostnameReady: false, etcFilesReady: false };
  await node.put(networkStatuses, 'status', { ...ready, addressReady: false });
  await sleep(20);
  assert.equal(left.length, 1);
  await node.put(networkStatuses, 'status', ready);
  for (let tried = 0; tried < 500 && received.length === 0; tried++) await sleep(10);
  socket.close();
  const wanted = { msg: 'hot', 'talos-level': 'warn', 'talos-time': '1970-01-01T00:00:00.000001Z' };
  assert.deepEqual(received, [{ facility: 'kern', seq: 5, clock: 1, priority: 'warning', ...wanted }]);
});

test("a kernel's log that cannot be read is told once for each configuration, and keeps nothing from running", async () => {
  await using node = openNode({
    openKernelLog: () => {
      throw new Fault('permission-denied', 'error opening /dev/kmsg reader: EPERM');
    },
  });
  await node.put(networkStatuses, 'status', {
    ...{ addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
  });
  await node.configure('apiVersion: v1alpha1\nkind: KmsgLogConfig\nname: one\nurl: tcp://127.0.0.1:1\n');
  await node.runtime.advance(600_000);
  const errors = node.runtime.logged.filter(({ level }) => level === 'error').map(({ msg }) => msg);
  assert.deepEqual(errors, ["the kernel's log cannot be delivered"]);
});
