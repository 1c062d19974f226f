import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { BootClock } from '@nodewright/provision/machine';
import { type ApiIdentity, callVersion } from './call-version.ts';

const bootTimeoutMs = 180_000;
const retryMs = 100;
/** Lines of the console that an error quotes. */
const quotedLines = 40;

/** How a machine is started, and who asks for its version. */
export interface MeasuredMachine {
  /** Options of QEMU; the console is its standard output. */
  readonly options: readonly string[];
  /** Port of the loopback device that leads to the machine's API. */
  readonly apiPort: number;
  /** Of the machine's administrator; undefined for a machine in maintenance, which knows nobody yet. */
  readonly identity?: ApiIdentity | undefined;
}

/**
 * Starts a machine, waits for its API, and ends it.
 *
 * @returns the seconds of each phase, in the order of `bootPhases`
 * @throws Error when the machine ends, or does not answer within three minutes
 */
export async function followBoot(machine: MeasuredMachine): Promise<number[]> {
  const emulator = spawn('qemu-system-x86_64', machine.options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(emulator, 'exit').catch(() => {
    throw new Error('qemu-system-x86_64 is missing: install qemu-system-x86');
  });
  const console: string[] = [];
  const failed = exited.then(() => {
    throw new Error(`the machine ended before its API answered; ${endOf(console)}`);
  });
  try {
    return await Promise.race([follow(emulator, machine, console), failed]);
  } finally {
    emulator.kill('SIGKILL');
    // The next boot may use the same disk.
    await exited.catch(() => {});
    await failed.catch(() => {});
  }
}

const endOf = (console: readonly string[]) => `the console ends with:\n${console.join('\n')}`;

async function follow(
  { stdout }: ChildProcess,
  { apiPort, identity }: MeasuredMachine,
  console: string[],
): Promise<number[]> {
  if (stdout === null) throw new Error('the machine has no console');
  const seconds = () => performance.now() / 1000;
  const clock = new BootClock();
  createInterface({ input: stdout }).on('line', (line) => {
    console.push(line);
    if (console.length > quotedLines) console.shift();
    clock.line(line, seconds());
  });
  const start = performance.now();
  while (performance.now() - start < bootTimeoutMs) {
    if (clock.awaitsAnswer && (await callVersion(apiPort, identity))) return clock.answered(seconds());
    await pause(retryMs);
  }
  throw new Error(`the API did not answer within ${bootTimeoutMs / 1000} s; ${endOf(console)}`);
}
