// A machine of one control plane, which runs the system of the image and pulls artefacts from a registry of the test.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LayoutRegistry } from './layout-registry.ts';
import { type Machine, type MachineInit, startMachine } from './machine.ts';
import type { Workplace } from './use-machine.ts';

/** Beside other work an emulated machine takes minutes to start its daemons. */
const startMs = 900_000;

export interface UpgradableMachine extends AsyncDisposable {
  readonly machine: Machine;
  /** Words of talosctl for a call of the administrator. */
  call(...words: string[]): string[];
  /** Waits for a version that runs, in the slot and the mode. */
  runs(tag: string, slot: 'A' | 'B', mode: 'confirmed' | '(trial|confirmed)'): Promise<void>;
  isReady(): Promise<void>;
  /** Upgrades it, and returns when the machine restarts into its trial. */
  upgrade(image: string): Promise<void>;
  rollback(): Promise<void>;
}

const fromDisk = /image \/boot\/A\/rootfs\.squashfs on \/dev\/vda3/;

/** Starts a machine that is running and ready, in slot A. One with a medium is installed from it on its disk before. */
export async function startUpgradable(
  workplace: Workplace,
  registry: LayoutRegistry,
  init: Pick<MachineInit, 'boot' | 'disk' | 'hasScreen' | 'hasWatchdog' | 'medium' | 'writeLog'>,
): Promise<UpgradableMachine> {
  const { talosctl, succeeds, shows, trusted } = workplace;
  await workplace.generate('demo', '--install-disk', '/dev/vda');
  writeFileSync(
    join(workplace.folder, 'patch.yaml'),
    // It has no time server.
    `machine:\n  time: {disabled: true}\n  registries:\n    mirrors:\n      registry.test:\n        endpoints: [${registry.url}]\n`,
  );
  const patched = await talosctl(
    ...['machineconfig', 'patch', 'controlplane.yaml', '-p', '@patch.yaml', '-o', 'patched.yaml'],
  );
  assert.equal(patched.exitCode, 0, patched.output);
  const disk = init.disk ?? workplace.machineDisk(`${init.boot.kind}.raw`);
  const machine = await startMachine({ ...init, disk, keepsDisk: true, restarts: true });
  const call = (...words: string[]) => [...trusted(machine), ...words];
  const isReady = async () => void (await shows(call('get', 'machinestatuses'), /running +true/, startMs));
  const does = async (...words: string[]) => {
    const { exitCode, output } = await talosctl(...call(...words));
    assert.equal(exitCode, 0, `${output}\n${machine.console().slice(-6000)}`);
  };
  try {
    await succeeds(['-n', machine.api, 'version', '--insecure'], startMs);
    await workplace.configures(machine, 'patched.yaml');
    if (init.medium !== undefined) await machine.shows(fromDisk, startMs);
    await succeeds(call('bootstrap'), startMs);
    await isReady();
  } catch (error) {
    await machine[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ...{ machine, call, isReady },
    async runs(tag, slot, mode) {
      await shows(call('get', 'upgradestatuses'), new RegExp(`${slot} +${mode}`), startMs);
      await shows(call('version'), new RegExp(`Tag: +${RegExp.escape(tag)}`), startMs);
    },
    upgrade: (image) => does('upgrade', '--image', image, '--drain=false', '--wait=false'),
    rollback: () => does('rollback'),
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  };
}
