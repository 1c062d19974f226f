// The released client upgrades a machine and rolls it back, in each of its ways, three times or `REPEAT=` times. The artefact is that of
// `make upgrade-image VERSION=v1.14.1`.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { guestAddress } from '@nodewright/provision/machine';
import { clientProgram, runClient } from '../../upstream/run-client.ts';
import { serveLayout } from '../layout-registry.ts';
import { noMachine } from '../machine.ts';
import { startUpgradable } from '../upgradable-machine.ts';
import { openWorkplace } from '../use-machine.ts';

const layout = join(
  ...[import.meta.dirname, '..', '..', '..', '_out', 'upgrade-images', 'v1.14.1', 'layout'],
);
const missing =
  (existsSync(layout) ? undefined : 'there is no artefact: run make upgrade-image VERSION=v1.14.1') ??
  (existsSync(clientProgram) ? undefined : 'there is no released client: run make upstream-client');
const skip = noMachine || missing || false;

const workplace = openWorkplace();
after(() => workplace[Symbol.dispose]());

const repeat = Number(process.env.REPEAT || 3);
assert.ok(Number.isSafeInteger(repeat) && repeat > 0, 'REPEAT must be a number of rounds');
/** An emulated machine restarts in a minute or two, and beside other work in several. */
const timeoutMs = 1_200_000;
const image = 'registry.test/installer:v1.14.1';

test('the released client upgrades a machine and rolls it back', { skip }, async (scope) => {
  await using registry = await serveLayout(layout);
  await using upgradable = await startUpgradable(workplace, registry, { boot: { kind: 'bios' } });
  await upgradable.runs('v1.14.0', 'A', 'confirmed');
  const init = {
    ...{ talosconfig: join(workplace.folder, 'talosconfig'), folder: workplace.folder, timeoutMs },
  };
  const released = async (...words: string[]) => {
    const own = ['-e', upgradable.machine.api, '-n', guestAddress, ...words];
    const { exitCode, stdout, stderr } = await runClient(own, init);
    assert.equal(exitCode, 0, `${words.join(' ')}: exit code ${exitCode}\n${stdout}\n${stderr}`);
  };
  for (let round = 1; round <= repeat; round += 1)
    for (const flags of [[], ['--legacy'], ['--legacy', '--stage']])
      await scope.test(`upgrade --drain=false ${flags.join(' ')}, and rollback: round ${round}`, async () => {
        await released('upgrade', '-i', image, '--drain=false', ...flags, '--progress', 'plain');
        await upgradable.runs('v1.14.1', 'B', 'confirmed');
        await released('rollback');
        await upgradable.runs('v1.14.0', 'A', 'confirmed');
        // A node whose etcd is busy with its own start refuses the next upgrade.
        await upgradable.isReady();
        await workplace.succeeds(upgradable.call('etcd', 'status'), timeoutMs);
      });
});
