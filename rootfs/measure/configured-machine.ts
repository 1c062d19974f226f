import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  freePort,
  guestNetworkOf,
  kernelBoot,
  machineHardware,
  makeMachineDisk,
} from '@nodewright/provision/machine';

const diskBytes = 5 * 2 ** 30;
const successTimeoutMs = 240_000;
const retryMs = 1000;

export interface ConfiguredMachineInit {
  /** The folder of the image. */
  readonly image: string;
  /** The program. */
  readonly talosctl: string;
  /** The folder with `talosconfig`, and with the configuration of the machine under its name. */
  readonly work: string;
}

/** An emulated machine that has its configuration. Disposing of it ends it without a shutdown. */
export interface ConfiguredMachine extends AsyncDisposable {
  readonly disk: string;
  readonly off: Promise<unknown>;
  /** Runs talosctl against the machine until it succeeds; returns its output. */
  succeeds(...words: string[]): Promise<string>;
}

export interface MachinePlace {
  readonly role: 'controlplane' | 'worker';
  readonly address: string;
  /** Port of the loopback device that leads to its trustd. */
  readonly trustdPort?: number;
}

/** Starts a machine, configures it, and waits until it has mounted EPHEMERAL. */
export async function startConfigured(
  { role, address, trustdPort }: MachinePlace,
  { image, talosctl, work }: ConfiguredMachineInit,
): Promise<ConfiguredMachine> {
  const disk = join(work, `${role}.raw`);
  makeMachineDisk(join(image, 'disk.raw'), disk, diskBytes);
  const apiPort = await freePort();
  const commandLine = `${readFileSync(join(image, 'cmdline.txt'), 'utf8').trim()} ${guestNetworkOf(address)}`;
  const options = [
    ...machineHardware({ disk, keepsDisk: true, apiPort, address, ...(trustdPort && { trustdPort }) }),
    ...kernelBoot(image, commandLine),
    ...['-serial', `file:${join(work, `${role}.console`)}`],
  ];
  const machine: ChildProcess = spawn('qemu-system-x86_64', options, {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const off = once(machine, 'exit');
  const end = async () => {
    machine.kill('SIGKILL');
    await off.catch(() => {});
  };
  try {
    const api = `127.0.0.1:${apiPort}`;
    const succeeds = (...words: string[]) => retry(work, machine, [talosctl, ...words]);
    const trusted = ['--talosconfig', 'talosconfig', '-e', api, '-n', address];
    await succeeds('-n', api, 'apply-config', '--insecure', '-f', `${role}.yaml`);
    // The logs are on EPHEMERAL, so it is mounted when they can be listed.
    await succeeds(...trusted, 'ls', '/var/log');
    return {
      disk,
      off,
      succeeds: (...words) => succeeds(...trusted, ...words),
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function retry(cwd: string, machine: ChildProcess, words: readonly string[]): Promise<string> {
  const end = performance.now() + successTimeoutMs;
  for (;;) {
    try {
      return (await promisify(execFile)(process.execPath, words, { cwd })).stdout;
    } catch (error) {
      if (performance.now() > end || machine.exitCode !== null || machine.pid === undefined) throw error;
      await pause(retryMs);
    }
  }
}
