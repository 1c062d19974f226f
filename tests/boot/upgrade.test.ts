// A machine is upgraded into its other slot, and back. The artefact is that of `make upgrade-image VERSION=v1.14.1`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { serveLayout } from './layout-registry.ts';
import { noMachine } from './machine.ts';
import { startUpgradable } from './upgradable-machine.ts';
import { openWorkplace } from './use-machine.ts';

const layout = join(import.meta.dirname, '..', '..', '_out', 'upgrade-images', 'v1.14.1', 'layout');
const skip =
  noMachine || (existsSync(layout) ? false : 'there is no artefact: run make upgrade-image VERSION=v1.14.1');

const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());

for (const kind of ['bios', 'uefi', 'secure-boot'] as const)
  test(`a machine that starts by ${kind} is upgraded into its other slot, and rolled back`, {
    skip,
  }, async () => {
    await using registry = await serveLayout(layout);
    await using upgradable = await startUpgradable(workplace, registry, { boot: { kind } });
    await upgradable.runs('v1.14.0', 'A', 'confirmed');
    await upgradable.upgrade('registry.test/installer:v1.14.1');
    await upgradable.runs('v1.14.1', 'B', 'confirmed');
    await upgradable.rollback();
    await upgradable.runs('v1.14.0', 'A', 'confirmed');
  });
