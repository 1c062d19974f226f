import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  moduleLoadOrder,
  parseBuiltinModules,
  parseModuleAliases,
  parseModuleFiles,
} from './parse-module-files.ts';

test('parseBuiltinModules() returns the names of modules as the kernel spells them', () => {
  assert.deepEqual(parseBuiltinModules('kernel/fs/ext4/ext4.ko\nkernel/lib/crc-ccitt.ko\n\n'), [
    'ext4',
    'crc_ccitt',
  ]);
});

test('moduleLoadOrder() has what a module needs before the module', () => {
  const files = parseModuleFiles(
    'kernel/c.ko.xz: kernel/b-b.ko.xz kernel/a.ko.xz\nkernel/a.ko.xz:\nnonsense\n',
  );
  assert.deepEqual(moduleLoadOrder(files, 'c'), ['kernel/a.ko.xz', 'kernel/b-b.ko.xz', 'kernel/c.ko.xz']);
  assert.equal(moduleLoadOrder(files, 'd'), undefined);
});

test('parseModuleAliases() leaves comments and incomplete lines out', () => {
  const text = '# Aliases\nalias pci:v00001AF4d* virtio_pci\nalias half\n\nalias rtnl-link-veth veth\n';
  assert.deepEqual(parseModuleAliases(text), [
    ['pci:v00001AF4d*', 'virtio_pci'],
    ['rtnl-link-veth', 'veth'],
  ]);
});
