import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { diagnostics, kernelModuleSpecs, services } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { kernelModuleConfigController } from './configured-settings.ts';
import { kernelModuleSpecController } from './kernel-module-spec.ts';

const files: Readonly<Record<string, string>> = {
  '/modules/modules.dep':
    'kernel/a.ko.xz:\nkernel/b-x.ko.xz: kernel/a.ko.xz\nkernel/c.ko.xz: kernel/b-x.ko.xz kernel/a.ko.xz\nkernel/dummy.ko.xz:\nnonsense\n',
  '/modules/modules.builtin': 'kernel/built-in.ko\n',
  '/containers': '# for containers\n\nb_x\ndummy\n',
};

function openNode(refused: readonly string[] = [], isLoading = async () => {}) {
  const calls: string[] = [];
  const controller = kernelModuleSpecController({
    read: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
    async load(path, parameters) {
      await isLoading();
      if (refused.includes(path)) throw new Error('EINVAL');
      calls.push(`${path} ${parameters}`.trim());
    },
    ...{ folder: '/modules', containerModules: '/containers' },
  });
  return { node: openControllerRig([kernelModuleConfigController(), controller]), calls };
}

const configured = (...modules: readonly string[]) =>
  `version: v1alpha1\nmachine: { kernel: { modules: [${modules.join(', ')}] } }\n`;

test('a module is loaded after those that it needs, once, with its parameters', async () => {
  const { node: opened, calls } = openNode();
  await using node = opened;
  await node.configure(configured('{ name: c, parameters: [p=1, q=2] }', '{ name: built_in }'));
  assert.deepEqual(calls, ['kernel/a.ko.xz', 'kernel/b-x.ko.xz', 'kernel/c.ko.xz p=1 q=2']);
  await node.configure(configured('{ name: c, parameters: [p=2] }'));
  assert.equal(calls.length, 3);
});

test('modules of containers are loaded when containerd runs', async () => {
  const { node: opened, calls } = openNode();
  await using node = opened;
  await node.settled();
  assert.deepEqual(calls, []);
  await node.put(services, 'cri', { running: true, healthy: false, unknown: true });
  assert.deepEqual(calls, ['kernel/a.ko.xz', 'kernel/b-x.ko.xz', 'kernel/dummy.ko.xz numdummies=0']);
});

test('a module that a link asks for does not wait until all those of containers are loaded', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { node: opened, calls } = openNode([], async () => {
    begun.resolve();
    await goOn.promise;
  });
  await using node = opened;
  const containerd = node.put(services, 'cri', { running: true, healthy: false, unknown: true });
  await begun.promise;
  const asked = node.put(kernelModuleSpecs, 'link-c', { string: 'c', parameters: [] });
  while ((await node.specs(kernelModuleSpecs)).length === 0) await setImmediate();
  goOn.resolve();
  await Promise.all([containerd, asked]);
  assert.deepEqual(calls.slice(-2), ['kernel/c.ko.xz', 'kernel/dummy.ko.xz numdummies=0']);
});

test('a module that cannot be loaded keeps no other from being loaded, and is tried again', async () => {
  const { node: opened, calls } = openNode(['kernel/b-x.ko.xz']);
  await using node = opened;
  await node.configure(configured('{ name: unknown }', '{ name: c }', '{ name: a }'));
  await node.runtime.advance(60_000);
  // Once for itself, and at each try once before the module that fails.
  assert.ok(calls.length > 2, calls.join());
  assert.deepEqual(new Set(calls), new Set(['kernel/a.ko.xz']));
});

test('a module that the image lacks is a diagnostic until the configuration no longer has it', async () => {
  const { node: opened, calls } = openNode();
  await using node = opened;
  const problems = async () =>
    (await node.specs(diagnostics)).map(([id, { message }]) => `${id}: ${message}`);
  await node.configure(configured('{ name: absent }', '{ name: a }'));
  assert.deepEqual(calls, ['kernel/a.ko.xz']);
  assert.deepEqual(await problems(), [
    'kernel-module-missing: the image lacks kernel modules that are needed: "absent"',
  ]);
  await node.configure(configured(...Array.from({ length: 13 }, (_, index) => `{ name: absent${index} }`)));
  assert.match(String(await problems()), /, and 3 more$/);
  await node.configure(configured('{ name: a }'));
  assert.deepEqual(await problems(), []);
});
