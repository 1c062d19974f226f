// `make measure-boot`: boots the image in an emulated machine several times (RUNS=), and writes how long each phase takes to
// the terminal and to `boot.json` beside the image.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { nativeArchitecture } from '../tools/images/architecture.ts';
import { BootClock, bootPhases, median } from './machine/boot-phases.ts';
import { guestNetwork, kernelBoot, machineHardware } from './machine/emulator-options.ts';
import { freePort } from './machine/free-port.ts';
import { runBuild } from './workshop.ts';

const defaultRuns = 5;
const bootTimeoutMs = 180_000;
const answerTimeoutMs = 15_000;
const retryMs = 100;

const seconds = () => performance.now() / 1000;

/** Boots once; the seconds of each phase. */
async function measureBoot(folder: string): Promise<number[]> {
  const apiPort = await freePort();
  const commandLine = `${readFileSync(join(folder, 'cmdline.txt'), 'utf8').trim()} ${guestNetwork}`;
  const words = [
    ...machineHardware({ disk: join(folder, 'disk.raw'), apiPort }),
    ...kernelBoot(folder, commandLine),
    ...['-serial', 'stdio'],
  ];
  const machine = spawn('qemu-system-x86_64', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const failed = new Promise<never>((_, reject) => {
      machine.once('error', () =>
        reject(new Error('qemu-system-x86_64 is missing: install qemu-system-x86')),
      );
      machine.once('exit', () => reject(new Error('the machine ended before its API answered')));
    });
    return await Promise.race([followBoot(machine, apiPort), failed]);
  } finally {
    machine.removeAllListeners('exit');
    machine.kill('SIGKILL');
  }
}

async function followBoot({ stdout }: ChildProcess, apiPort: number): Promise<number[]> {
  if (stdout === null) throw new Error('the machine has no console');
  const clock = new BootClock();
  let last = '';
  createInterface({ input: stdout }).on('line', (line) => {
    last = line;
    clock.line(line, seconds());
  });
  const start = performance.now();
  while (performance.now() - start < bootTimeoutMs) {
    if (clock.awaitsAnswer && (await answers(apiPort))) return clock.answered(seconds());
    await pause(retryMs);
  }
  throw new Error(`the API did not answer within ${bootTimeoutMs / 1000} s; the console ends with: ${last}`);
}

/** Whether the API answers a call of `Version`, as a client without a certificate makes it in maintenance. */
function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.setTimeout(answerTimeoutMs, () => session.destroy());
  session.on('error', () => {});
  session.on('close', () => resolve(false));
  const call = session.request({
    ':method': 'POST',
    ':path': '/machine.MachineService/Version',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  call.on('error', () => {});
  call.on('response', () => {
    resolve(true);
    session.destroy();
  });
  const emptyMessage = Buffer.alloc(5);
  call.end(emptyMessage);
  return promise;
}

async function main(folder: string): Promise<void> {
  if (nativeArchitecture() !== 'amd64') throw new Error('only machines of x86-64 can be emulated so far');
  if (!existsSync(join(folder, 'disk.raw'))) throw new Error('there is no disk image: run make image');
  const runs = Number(process.env.RUNS || defaultRuns);
  if (!Number.isInteger(runs) || runs < 1) throw new Error('RUNS must be a number of boots');
  const boots: number[][] = [];
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  for (let run = 1; run <= runs; run += 1) {
    const boot = await measureBoot(folder);
    boots.push(boot);
    process.stdout.write(`boot ${run} of ${runs}: ${sum(boot).toFixed(1)} s\n`);
  }
  const rounded = (value: number) => Math.round(value * 100) / 100;
  const phases = bootPhases.map(({ name, what }, index) => {
    const measured = boots.map((boot) => rounded(boot[index] ?? 0));
    return { name, what, median: rounded(median(measured)), measured };
  });
  const totals = boots.map((boot) => rounded(sum(boot)));
  const total = { median: rounded(median(totals)), measured: totals };
  writeFileSync(join(folder, 'boot.json'), `${JSON.stringify({ runs, phases, total }, undefined, 2)}\n`);
  const rows = [...phases, { name: 'total', what: 'medians of all boots', ...total }];
  for (const { name, what, median: value } of rows)
    process.stdout.write(`${value.toFixed(1).padStart(6)} s  ${name.padEnd(10)}${what}\n`);
}

await runBuild('measure-boot', () => main(join(import.meta.dirname, '..', '_out', 'image')));
