import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAllowedModule, matchesAlias, planModules } from './module-policy.ts';

const modules = {
  files: new Map([
    ['vxlan', { path: 'kernel/drivers/net/vxlan/vxlan.ko.xz' }],
    ['virtio_net', { path: 'kernel/drivers/net/virtio_net.ko.xz' }],
    ['btrfs', { path: 'kernel/fs/btrfs/btrfs.ko.xz' }],
    ['rds', { path: 'kernel/net/rds/rds.ko.xz' }],
  ]),
  builtin: new Set(['ext4']),
  aliases: [
    ['virtio:d00000001v*', 'virtio-net'],
    ['virtio:d00000001v*', 'vxlan'],
    ['fs-btrfs', 'btrfs'],
    ['pci:v*', 'absent'],
  ] as const,
};
const plan = (wanted: Parameters<typeof planModules>[0]) => planModules(wanted, modules, 2);

test('modules for devices may be loaded, and neither file systems nor rare protocols', () => {
  assert.deepEqual(plan({ name: 'vxlan' }), { names: ['vxlan'], toLoad: ['vxlan'] });
  assert.deepEqual(plan({ name: 'virtio-net' }).toLoad, ['virtio_net']);
  for (const name of ['btrfs', 'rds']) assert.throws(() => plan({ name }), { kind: 'permission-denied' });
  assert.throws(() => plan({ modalias: 'fs-btrfs' }), { kind: 'permission-denied' });
  assert.equal(isAllowedModule('kernel/drivers/net/../../fs/btrfs/btrfs.ko'), false);
});

test('a part of the kernel needs no loading, and an unknown module is an error', () => {
  assert.deepEqual(plan({ name: 'ext4' }), { names: ['ext4'], toLoad: [] });
  assert.throws(() => plan({ name: 'absent' }), { kind: 'not-found' });
  assert.throws(() => plan({ modalias: 'pci:v1' }), { kind: 'not-found' });
  assert.throws(() => plan({ modalias: 'usb:v1' }), { kind: 'not-found' });
});

test('a modalias loads every module that it matches, up to a limit', () => {
  assert.deepEqual(plan({ modalias: 'virtio:d00000001v00001AF4' }).names, ['virtio_net', 'vxlan']);
  assert.throws(() => planModules({ modalias: 'virtio:d00000001v1' }, modules, 1), {
    kind: 'resource-exhausted',
  });
  assert.throws(() => planModules({ modalias: 'x' }, { ...modules, aliases: undefined }, 1), {
    kind: 'failed-precondition',
  });
});

test('matchesAlias() agrees with a regular expression', () => {
  const item = fc.oneof(
    fc.constantFrom('*', '?', '[0-9]', '[ab]', '[a-cx]'),
    fc.constantFrom('a', 'b', 'c', 'x', '0', '9', ':'),
  );
  const escaped = (pattern: string) =>
    pattern.replaceAll(/\[[^\]]+\]|[*?]|./g, (part) => (part === '*' ? '.*' : part === '?' ? '.' : part));
  fc.assert(
    fc.property(
      fc.array(item, { maxLength: 8 }).map((items) => items.join('')),
      fc
        .array(fc.constantFrom('a', 'b', 'c', 'x', '0', '9', ':'), { maxLength: 10 })
        .map((all) => all.join('')),
      (pattern, text) => {
        assert.equal(matchesAlias(pattern, text), new RegExp(`^${escaped(pattern)}$`).test(text));
      },
    ),
    { numRuns: 5000 },
  );
});

test('a pattern of many stars takes no longer than its length', () => {
  assert.equal(matchesAlias(`${'*a'.repeat(200)}b`, 'a'.repeat(1000)), false);
});
