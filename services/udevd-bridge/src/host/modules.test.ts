import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createModules } from './modules.ts';

/** A kernel with these modules of `kernel/drivers/net`, all of which drive `pci:one`, and that refuses some of them. */
function openKernel(names: readonly string[], refused: readonly string[], refusesUnsigned = true) {
  const folder = mkdtempSync(join(tmpdir(), 'modules-'));
  const path = (name: string) => `kernel/drivers/net/${name}.ko`;
  writeFileSync(join(folder, 'modules.dep'), names.map((name) => `${path(name)}:\n`).join(''));
  writeFileSync(join(folder, 'modules.alias'), names.map((name) => `alias pci:one ${name}\n`).join(''));
  const loaded: string[] = [];
  const load = createModules(folder, {
    async load(file) {
      if (refused.some((name) => file === path(name))) throw new Error('ENODEV');
      loaded.push(file);
    },
    refusesUnsigned: () => refusesUnsigned,
  });
  return { load, loaded, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test('of several modules for a device, one that the kernel refuses keeps none of the others from being loaded', async () => {
  using kernel = openKernel(['a', 'b', 'c'], ['a', 'c']);
  await assert.rejects(kernel.load({ modalias: 'pci:one' }), {
    ...{ kind: 'failed-precondition', message: 'module "a" cannot be loaded: ENODEV' },
  });
  assert.deepEqual(kernel.loaded, ['kernel/drivers/net/b.ko']);
  assert.deepEqual(await kernel.load({ name: 'b' }), ['b']);
});

test('no module is loaded while the kernel would take one without a signature', async () => {
  using kernel = openKernel(['a'], [], false);
  await assert.rejects(kernel.load({ name: 'a' }), /boot it with module\.sig_enforce=1/);
  assert.deepEqual(kernel.loaded, []);
});
