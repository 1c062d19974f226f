// The short form of `make test-upgrade-machine`: one upgrade and its way back. The artefact is that of `make installer`, so its system is the
// one that runs, in the other slot: nothing is built twice.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { serveLayout } from './layout-registry.ts';
import { noMachine } from './machine.ts';
import { startUpgradable } from './upgradable-machine.ts';
import { openWorkplace } from './use-machine.ts';

const layout = join(import.meta.dirname, '..', '..', '_out', 'installer', 'layout');
const isThere = existsSync(layout) || process.env.CI === 'true';
const skip = noMachine || (!isThere && 'there is no artefact: run make installer');

const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());

test('a machine is upgraded into its other slot, and goes back', { skip }, async () => {
  await using registry = await serveLayout(layout);
  await using upgradable = await startUpgradable(workplace, registry, { boot: { kind: 'bios' } });
  await upgradable.upgrade('registry.test/installer:v1.14.0');
  await upgradable.runs('v1.14.0', 'B', 'confirmed');
  await upgradable.rollback();
  // It is tried, too: its trial is what the whole form waits for.
  await upgradable.runs('v1.14.0', 'A', '(trial|confirmed)');
});
