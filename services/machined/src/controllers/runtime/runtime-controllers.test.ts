import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { type KindRef, pointerTo, putResource } from '@nodewright/state';
import {
  bootIds,
  devicesStatuses,
  kernelCmdlines,
  kernelModuleSpecs,
  kernelModuleStatuses,
  kernelParamStatuses,
  loadedKernelModules,
  machineConfigs,
  securityStates,
  versions,
  watchdogTimerConfigs,
} from '@nodewright/state/kinds';
import { servicesControllers } from '../../services/controllers/services-controllers.ts';
import { ChangingServices } from '../../testing/changing-services.ts';
import { type RuntimeControllersInit, runtimeControllers } from './runtime-controllers.ts';

function openNode(init: Partial<RuntimeControllersInit> & { readonly files?: Record<string, string> } = {}) {
  const { files = {} } = init;
  const services = new ChangingServices();
  const runtime = openTestRuntime({
    controllers: [
      ...servicesControllers({ services }),
      ...runtimeControllers({
        bootId: 'boot-1',
        mode: 'process',
        hasUdevd: false,
        kernelRelease: '6.1',
        extensions: [],
        read: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
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
  const kinds: readonly KindRef[] = [kernelModuleSpecs, watchdogTimerConfigs];
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
`);
  assert.deepEqual(await all(), [
    ['loop', { string: 'loop', parameters: ['max_loop=8'] }],
    ['timer', { device: '/dev/watchdog0', timeout: 120_000 }],
  ]);
  await node.configure('version: v1alpha1\nmachine: {}\n');
  assert.deepEqual(await all(), []);
});
