// `make measure-memory`: boots a control plane with etcd and a worker, waits five minutes, and writes what their memory is
// used for to the terminal and to `memory.json` beside the image.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nativeArchitecture } from '@nodewright/build';
import type { ConfiguredMachine } from './measure/configured-machine.ts';
import { type MachineMemory, memoryOf, readMachineMemory } from './measure/machine-memory.ts';
import { openMeasuredCluster } from './measure/measured-cluster.ts';
import { runBuild } from './workshop.ts';

const settleMs = 5 * 60_000;
const daemons = ['machined', 'apid', 'trustd', 'registryd', 'udevd-bridge'];
/** What the daemons run beside them. */
const programs = ['systemd-udevd', 'containerd', 'etcd'];
const say = (line: string) => process.stdout.write(`${line}\n`);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1).padStart(7)} MB`;

async function main(checkout: string): Promise<void> {
  const image = join(checkout, '_out', 'image');
  if (nativeArchitecture() !== 'amd64') throw new Error('only machines of x86-64 can be emulated so far');
  if (!existsSync(join(image, 'disk.raw'))) throw new Error('there is no disk image: run make image');
  const work = mkdtempSync(join(tmpdir(), 'measure-memory-'));
  try {
    say('starting a control plane with etcd, and a worker, which takes about three minutes');
    const talosctl = join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs');
    await using cluster = await openMeasuredCluster({ image, talosctl, work, hasImageCache: true });
    const { controlPlane, worker } = cluster;
    await controlPlane.succeeds('bootstrap');
    await controlPlane.succeeds('etcd', 'members');
    await controlPlane.succeeds('registry', 'status');
    say(`both are ready; they are measured in ${settleMs / 60_000} minutes`);
    await pause(settleMs);
    const machines = [
      { name: 'control plane', ...(await measure(controlPlane)) },
      { name: 'worker', ...(await measure(worker)) },
    ];
    writeFileSync(join(image, 'memory.json'), `${JSON.stringify({ machines }, undefined, 2)}\n`);
    for (const machine of machines) show(machine);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const measure = ({ succeeds }: ConfiguredMachine): Promise<MachineMemory> => readMachineMemory(succeeds);

function show({ name, usedBytes, totalBytes, processes }: MachineMemory & { readonly name: string }): void {
  say(`${name}: ${megabytes(usedBytes).trim()} of ${megabytes(totalBytes).trim()} are not available`);
  const list = (names: readonly string[]) => memoryOf(processes, names);
  const text = (found: ReturnType<typeof list>) =>
    found.map((one) => `${one.name} ${megabytes(one.proportionalBytes).trim()}`).join(', ');
  const own = list(daemons);
  const together = own.reduce((sum, { proportionalBytes }) => sum + proportionalBytes, 0);
  say(
    `${own.length} daemons: ${megabytes(together).trim()} (${text(own)}); beside them ${text(list(programs))}`,
  );
  for (const { command, proportionalBytes, privateBytes } of processes)
    say(
      `${megabytes(proportionalBytes)}, ${megabytes(privateBytes)} of them its own  ${command.slice(0, 100)}`,
    );
}

await runBuild('measure-memory', () => main(join(import.meta.dirname, '..')));
