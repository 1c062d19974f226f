// The power fails before any write of an upgrade, of its end, or of a rollback, on real files. Each time the machine starts one system as a whole,
// and settles on one that was confirmed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SystemRequest } from '../domain/upgrades.ts';
import { artefactOf, TestMachine } from '../testing/test-machine.ts';
import { newSystem, testSystem } from '../testing/test-system.ts';
import type { MachineUpgrades } from './machine-upgrades.ts';

class PowerCut extends Error {}

const request: SystemRequest = {
  ...{ image: 'registry.example/installer:v1.14.1', allowsDowngrade: false },
  ...{ extensionSet: undefined, dropsExtensions: false },
};
const silent = () => {};

async function upgraded(machine: TestMachine): Promise<MachineUpgrades> {
  machine.open = async () => artefactOf(testSystem('new'));
  const first = await machine.powerOn();
  await first.start();
  await first.upgrade(request, silent);
  const tried = await machine.powerOn();
  await tried.start();
  return tried;
}

async function confirmed(machine: TestMachine): Promise<MachineUpgrades> {
  const tried = await upgraded(machine);
  await tried.confirm();
  return tried;
}

interface Scenario {
  readonly name: string;
  /** So many at least are cut. */
  readonly leastWrites: number;
  /** What happens before the power may fail. */
  readonly prepare: (machine: TestMachine) => Promise<MachineUpgrades>;
  readonly act: (machined: MachineUpgrades, machine: TestMachine) => Promise<unknown>;
}

const scenarios: readonly Scenario[] = [
  {
    name: 'an upgrade',
    leastWrites: 15,
    async prepare(machine) {
      machine.open = async () => artefactOf(testSystem('new'));
      const first = await machine.powerOn();
      await first.start();
      return first;
    },
    act: (machined) => machined.upgrade(request, silent),
  },
  {
    name: 'an upgrade over the system before it',
    leastWrites: 15,
    async prepare(machine) {
      const machined = await confirmed(machine);
      machine.open = async () => artefactOf(testSystem('third'));
      return machined;
    },
    act: (machined) => machined.upgrade(request, silent),
  },
  { name: 'a confirmation', leastWrites: 2, prepare: upgraded, act: (machined) => machined.confirm() },
  { name: 'giving up', leastWrites: 1, prepare: upgraded, act: (machined) => machined.giveUp('a reason') },
  { name: 'a rollback', leastWrites: 3, prepare: confirmed, act: (machined) => machined.rollback() },
  {
    name: 'a restart by kexec',
    leastWrites: 0,
    prepare: confirmed,
    act: (machined) => machined.beforeRestart(true, async () => {}),
  },
  {
    name: 'the start after a trial that failed',
    leastWrites: 3,
    async prepare(machine) {
      await upgraded(machine);
      return machine.powerOn();
    },
    act: (machined) => machined.start(),
  },
];

const texts = ['image', 'new', 'third'];

/** The running slot has one of the systems, and every byte of it. */
function checkWhole({ running, boot, efi }: TestMachine): void {
  const system = texts.map(testSystem).find(({ rootHash }) => rootHash === running.rootHash);
  assert.ok(system, 'an unknown system runs');
  for (const { path, partition, place } of newSystem(running.slot, system).files) {
    const folder = partition === 'BOOT' ? boot.folder : efi.folder;
    assert.deepEqual(readFileSync(join(folder, place)), system.contents[path], `${place} is not whole`);
  }
}

async function cutPower({ name, prepare, act }: Scenario, cut: number): Promise<boolean> {
  const machine = await TestMachine.create();
  try {
    const machined = await prepare(machine);
    let writes = 0;
    machine.onWrite = () => {
      writes += 1;
      if (writes > cut) throw new PowerCut();
    };
    await act(machined, machine).catch((error: unknown) => {
      if (!(error instanceof PowerCut) && !(error instanceof Error && error.cause instanceof PowerCut))
        throw error;
    });
    machine.onWrite = silent;
    const isCut = writes > cut;
    const where = `${name}, after ${cut} writes`;
    // A tried system is not confirmed in this test: the machine goes back by itself.
    for (let starts = 0; starts < 4; starts += 1) {
      const next = await machine.powerOn();
      checkWhole(machine);
      const { mode, restarts } = await next.start();
      checkWhole(machine);
      if (mode === 'confirmed' && !restarts) {
        const { facts } = machine;
        assert.ok(
          facts === undefined ||
            facts.boot.default === undefined ||
            facts.boot.default === machine.running.slot,
          where,
        );
        // The machine can be upgraded again.
        machine.open = async () => artefactOf(testSystem('third'));
        await next.upgrade(request, silent);
        return isCut;
      }
    }
    assert.fail(`${where}: the machine does not settle`);
  } finally {
    machine.remove();
  }
}

for (const scenario of scenarios)
  test(`a power cut before any write of ${scenario.name} leaves a whole system`, async () => {
    for (let cut = 0; cut < 60; cut += 1)
      if (!(await cutPower(scenario, cut))) return assert.ok(cut >= scenario.leastWrites, `${cut} writes`);
    assert.fail('it does not end');
  });
