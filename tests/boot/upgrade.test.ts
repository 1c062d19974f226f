// A machine is upgraded into its other slot, and back. The artefact is that of `make upgrade-image VERSION=v1.14.1`.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { serveLayout } from './layout-registry.ts';
import { type MachineInit, noMachine, startMachine } from './machine.ts';
import { openWorkplace } from './use-machine.ts';

const layout = join(import.meta.dirname, '..', '..', '_out', 'upgrade-images', 'v1.14.1', 'layout');
const skip =
  noMachine || (existsSync(layout) ? false : 'there is no artefact: run make upgrade-image VERSION=v1.14.1');

const { talosctl, succeeds, shows, generate, configures, trusted, machineDisk, ...workplace } =
  openWorkplace();
after(() => workplace[Symbol.dispose]());

const image = 'registry.test/installer:v1.14.1';
/** Beside other work an emulated machine takes minutes to start its daemons. */
const startMs = 900_000;

for (const kind of ['bios', 'uefi', 'secure-boot'] as const)
  test(`a machine that starts by ${kind} is upgraded into its other slot, and rolled back`, { skip }, () =>
    upgradesAndRollsBack({ kind }),
  );

async function upgradesAndRollsBack(boot: MachineInit['boot']): Promise<void> {
  await using registry = await serveLayout(layout);
  await generate('demo');
  writeFileSync(
    join(workplace.folder, 'patch.yaml'),
    // It has no time server.
    `machine:\n  time: {disabled: true}\n  registries:\n    mirrors:\n      registry.test:\n        endpoints: [${registry.url}]\n`,
  );
  const patched = await talosctl(
    ...['machineconfig', 'patch', 'controlplane.yaml', '-p', '@patch.yaml', '-o', 'patched.yaml'],
  );
  assert.equal(patched.exitCode, 0, patched.output);
  await using machine = await startMachine({
    ...{ disk: machineDisk(`${boot.kind}.raw`), keepsDisk: true, restarts: true, boot },
  });
  await succeeds(['-n', machine.api, 'version', '--insecure'], startMs);
  await configures(machine, 'patched.yaml');
  const call = (...words: string[]) => [...trusted(machine), ...words];
  await shows(call('version'), /Tag: +v1\.14\.0/, startMs);
  await succeeds(call('bootstrap'), startMs);
  await shows(call('get', 'machinestatuses'), /running +true/, startMs);
  await shows(call('get', 'upgradestatuses'), /A +confirmed/, startMs);

  const upgraded = await talosctl(...call('upgrade', '--image', image, '--drain=false', '--wait=false'));
  assert.equal(upgraded.exitCode, 0, `${upgraded.output}\n${machine.console().slice(-6000)}`);
  await shows(call('get', 'upgradestatuses'), /B +(trial|confirmed)/, startMs);
  await shows(call('get', 'upgradestatuses'), /B +confirmed/, startMs);
  await shows(call('version'), /Tag: +v1\.14\.1/, startMs);

  const back = await talosctl(...call('rollback'));
  assert.equal(back.exitCode, 0, back.output);
  await shows(call('get', 'upgradestatuses'), /A +confirmed/, startMs);
  await shows(call('version'), /Tag: +v1\.14\.0/, startMs);
}
