import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import type { KindRef } from '@nodewright/state';
import {
  bootIds,
  kernelCmdlines,
  kernelModuleSpecs,
  kernelModuleStatuses,
  kernelParamStatuses,
  loadedKernelModules,
  securityStates,
  versions,
  watchdogTimerConfigs,
} from '@nodewright/state/kinds';
import { worlds } from '../../base/domain/world.ts';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { type KernelControllersInit, kernelControllers } from './kernel-controllers.ts';

function openNode(init: Partial<KernelControllersInit> & { readonly files?: Record<string, string> } = {}) {
  const { files = {} } = init;
  return openControllerRig(
    kernelControllers({
      bootId: 'boot-1',
      world: worlds.process,
      kernelRelease: '6.1',
      extensions: [],
      read: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
      readOrReason: (path) => (files[path] === undefined ? 'absent' : Buffer.from(files[path])),
      kernel: {
        read() {
          throw new Fault('not-found', 'no statistics here');
        },
      },
      ...init,
    }),
  );
}

test('facts about the machine are published from its start on', async () => {
  const files = { '/proc/cmdline': 'quiet selinux=1\n', '/sys/fs/selinux/enforce': '1' };
  await using node = openNode({ files });
  await node.settled();
  const [[, version] = []] = await node.specs(versions);
  assert.equal(version?.name, 'Talos');
  assert.deepEqual(await node.specs(bootIds), [['boot-id', { bootID: 'boot-1' }]]);
  assert.deepEqual(await node.specs(kernelCmdlines), [['cmdline', { cmdline: 'quiet selinux=1' }]]);
  const [[, security] = []] = await node.specs(securityStates);
  assert.equal(security?.selinuxState, 'enabled, enforcing');
});

test("kernel parameters have the kernel's values, and are unsupported unless these are the wanted ones", async () => {
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

test('a machine sets its kernel parameters, and restores those that are wanted no more', async () => {
  const files: Record<string, string> = {
    '/proc/sys/net/ipv4/ip_forward': '0\n',
    '/proc/sys/vm/swappiness': '60\n',
    '/proc/sys/kernel/panic': '10\n',
    '/proc/sys/net/ipv4/tcp_rmem': '1\t2 3\n',
  };
  const written: string[] = [];
  const writeParameter = (path: string, value: string) => {
    if (value === 'nonsense') throw Object.assign(new Error('invalid'), { code: 'EINVAL' });
    written.push(`${path} ${value}`);
    files[path] = `${value}\n`;
  };
  await using node = openNode({ files, writeParameter, world: worlds.machine });
  const sysctls = 'sysctls: { vm.swappiness: "10", net.ipv4.tcp_rmem: "1 2 3", kernel.panic: nonsense }';
  await node.configure(`version: v1alpha1\nmachine: { ${sysctls} }\n`);
  // The controller fails because of what cannot be set, and tries again.
  await node.runtime.advance(60_000);
  assert.deepEqual(
    new Set(written.splice(0)),
    new Set(['/proc/sys/net/ipv4/ip_forward 1', '/proc/sys/vm/swappiness 10']),
  );
  const statuses = new Map(await node.specs(kernelParamStatuses));
  assert.deepEqual(statuses.get('proc.sys.net.ipv4.ip_forward'), {
    current: '1',
    default: '0',
    unsupported: false,
  });
  assert.deepEqual(statuses.get('proc.sys.vm.swappiness'), {
    current: '10',
    default: '60',
    unsupported: false,
  });
  assert.deepEqual(statuses.get('proc.sys.kernel.panic'), {
    current: '10',
    default: '10',
    unsupported: false,
  });
  const missing = { current: '', default: '', unsupported: true };
  assert.deepEqual(statuses.get('proc.sys.kernel.pid_max'), missing);
  await node.configure('version: v1alpha1\nmachine: {}\n');
  await node.runtime.advance(60_000);
  assert.deepEqual(written, ['/proc/sys/vm/swappiness 60']);
});

test('a setting that goes only one way is tried once when the configuration no longer has it', async () => {
  const path = '/proc/sys/kernel/kexec_load_disabled';
  const files: Record<string, string> = { [path]: '0\n' };
  const written: string[] = [];
  const writeParameter = (target: string, value: string) => {
    if (target !== path) return;
    written.push(value);
    if (files[path] === '1\n') throw Object.assign(new Error('EINVAL'), { code: 'EINVAL' });
    files[path] = `${value}\n`;
  };
  await using node = openNode({ files, writeParameter, world: worlds.machine });
  await node.configure('version: v1alpha1\nmachine: { sysctls: { kernel.kexec_load_disabled: "1" } }\n');
  await node.configure('version: v1alpha1\nmachine: {}\n');
  await node.runtime.advance(3_600_000);
  assert.deepEqual(written, ['1', '0']);
});

test('a setting that is a choice in sysfs is written once, and its earlier word is restored', async () => {
  const path = '/sys/kernel/mm/transparent_hugepage/enabled';
  const files: Record<string, string> = { [path]: 'always [madvise] never\n' };
  const written: string[] = [];
  let isBusy = false;
  const writeParameter = (target: string, value: string) => {
    if (target !== path) return;
    written.push(value);
    const words = ['always', 'madvise', 'never'];
    const code = isBusy ? 'EBUSY' : words.includes(value) ? undefined : 'EINVAL';
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    files[path] = `${words.map((word) => (word === value ? `[${word}]` : word)).join(' ')}\n`;
  };
  await using node = openNode({ files, writeParameter, world: worlds.machine });
  const id = 'sys.kernel.mm.transparent_hugepage.enabled';
  const configure = async (sysfs: string) => {
    await node.configure(`version: v1alpha1\nmachine: { ${sysfs} }\n`);
    return new Map(await node.specs(kernelParamStatuses)).get(id);
  };
  const never = { current: 'never', default: 'madvise', unsupported: false };
  const sysfs = 'sysfs: { kernel.mm.transparent_hugepage.enabled: never }';
  assert.deepEqual(await configure(sysfs), never);
  assert.deepEqual(await configure(`${sysfs}, sysctls: { vm.swappiness: "10" }`), never);
  await node.runtime.advance(600_000);
  assert.deepEqual(written.splice(0), ['never']);
  isBusy = true;
  await configure('');
  assert.equal(files[path], 'always madvise [never]\n');
  isBusy = false;
  await node.runtime.advance(600_000);
  assert.equal(files[path], 'always [madvise] never\n');
  assert.deepEqual(new Set(written.splice(0)), new Set(['madvise']));
  await node.runtime.advance(600_000);
  assert.deepEqual(written, []);
});

test('kernel modules are read again at intervals', async () => {
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

test('settings are resources for as long as the configuration contains them', async () => {
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
