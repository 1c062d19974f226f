// `make measure-boot`: boots emulated machines several times each (RUNS=), and writes how long each phase takes to the
// terminal and to `boot.json` beside the image.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativeArchitecture } from '@nodewright/build';
import {
  addedWords,
  bootPhases,
  emptyVariables,
  firmwareBoot,
  freePort,
  guestAddress,
  guestNetworkOf,
  kernelBoot,
  machineHardware,
  median,
} from '@nodewright/provision/machine';
import { followBoot, type MeasuredMachine } from './measure/follow-boot.ts';
import { openMeasuredCluster, workerAddress } from './measure/measured-cluster.ts';
import { runBuild } from './workshop.ts';

const defaultRuns = 5;
/**
 * QEMU 7.2 without KVM has a fault: while the kernel changes its own code, the second processor may run a break point that is
 * gone already. The kernel then panics before it starts the init.
 */
const emulatorFault = /Oops: int3/;

interface BootKind {
  readonly name: string;
  start(apiPort: number): MeasuredMachine;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const rounded = (value: number) => Math.round(value * 100) / 100;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Boots one kind of machine `runs` times, one after the other. */
async function measure({ name, start }: BootKind, runs: number) {
  const boots: number[][] = [];
  for (let tries = 1; boots.length < runs; tries += 1) {
    try {
      const boot = await followBoot(start(await freePort()));
      boots.push(boot);
      say(`${name}, boot ${boots.length} of ${runs}: ${sum(boot).toFixed(1)} s`);
    } catch (error) {
      if (tries >= 2 * runs || !emulatorFault.test(String(error))) throw error;
      say(`${name}: the kernel panicked by a fault of the emulator (Oops: int3); this boot is repeated`);
    }
  }
  const phases = bootPhases.map(({ name, what }, index) => {
    const measured = boots.map((boot) => rounded(boot[index] ?? 0));
    return { name, what, median: rounded(median(measured)), measured };
  });
  const totals = boots.map((boot) => rounded(sum(boot)));
  return { name, runs, phases, total: { median: rounded(median(totals)), measured: totals } };
}

async function main(output: string): Promise<void> {
  const image = join(output, 'image');
  if (nativeArchitecture() !== 'amd64') throw new Error('only machines of x86-64 can be emulated so far');
  if (!existsSync(join(image, 'disk.raw'))) throw new Error('there is no disk image: run make image');
  if (!existsSync(emptyVariables)) throw new Error('the UEFI firmware is missing: install ovmf');
  const runs = Number(process.env.RUNS || defaultRuns);
  if (!Number.isInteger(runs) || runs < 1) throw new Error('RUNS must be a number of boots');
  const commandLine = readFileSync(join(image, 'cmdline.txt'), 'utf8').trim();
  // What a boot writes is lost when it ends, so every boot of a kind finds the same disk.
  const options = (
    disk: string,
    apiPort: number,
    address = guestAddress,
    boot = kernelBoot(image, `${commandLine} ${guestNetworkOf(address)}`),
  ) => [...machineHardware({ disk, apiPort, address }), ...boot, ...['-serial', 'stdio']];
  const work = mkdtempSync(join(tmpdir(), 'measure-boot-'));
  try {
    say('starting a control plane, and a worker that joins it, which takes about two minutes');
    const talosctl = join(output, 'dist', 'talosctl', 'talosctl.cjs');
    await using cluster = await openMeasuredCluster({ image, talosctl, work });
    const { worker, identity } = cluster;
    await worker.succeeds('shutdown', '--wait=false');
    await worker.off;
    const kinds: BootKind[] = [
      {
        name: 'second boot of a worker',
        start: (apiPort) => ({
          options: options(worker.disk, apiPort, workerAddress),
          apiPort,
          identity,
        }),
      },
      {
        name: 'first boot to maintenance',
        start: (apiPort) => ({ options: options(join(image, 'disk.raw'), apiPort), apiPort }),
      },
      {
        name: 'first boot to maintenance by UEFI',
        start(apiPort) {
          const variables = join(work, 'variables.fd');
          copyFileSync(emptyVariables, variables);
          const boot = [...firmwareBoot('uefi', variables), ...addedWords([guestNetworkOf(guestAddress)])];
          return { options: options(join(image, 'disk.raw'), apiPort, guestAddress, boot), apiPort };
        },
      },
    ];
    const boots = [];
    for (const kind of kinds) boots.push(await measure(kind, runs));
    writeFileSync(join(image, 'boot.json'), `${JSON.stringify({ boots }, undefined, 2)}\n`);
    for (const { name, phases, total } of boots) {
      say(name);
      for (const { name, what, median: value } of [
        ...phases,
        { name: 'total', what: 'medians of all boots', ...total },
      ])
        say(`${value.toFixed(1).padStart(6)} s  ${name.padEnd(10)}${what}`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

await runBuild('measure-boot', () => main(join(import.meta.dirname, '..', '_out')));
