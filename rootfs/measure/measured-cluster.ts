import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseTalosconfig } from '@nodewright/client';
import { tlsPrivateKey } from '@nodewright/pki';
import {
  freePort,
  guestAddress,
  guestNetworkOf,
  hostAddress,
  kernelBoot,
  machineHardware,
  makeMachineDisk,
} from '@nodewright/provision/machine';
import type { ApiIdentity } from './call-version.ts';

const diskBytes = 3 * 2 ** 30;
const successTimeoutMs = 240_000;
const retryMs = 1000;
/** The emulated networks are apart, but the cluster wants one address for each node. */
export const workerAddress = '10.0.2.16';
/** Workers look for trustd at this port of the cluster's endpoint. */
const trustdPort = 50_001;

/** trustd waits for the time of a time server otherwise, and the emulated network may have none. */
const withoutTimeServer = '{"machine":{"time":{"disabled":true}}}';

/** A control plane that runs, and the disk of a worker that joined it and was switched off. */
export interface MeasuredCluster extends AsyncDisposable {
  readonly workerDisk: string;
  /** Of the administrator. */
  readonly identity: ApiIdentity;
}

export interface MeasuredClusterInit {
  /** The folder of the image. */
  readonly image: string;
  /** The program. */
  readonly talosctl: string;
  /** An empty folder, which the caller removes. */
  readonly work: string;
}

/**
 * Boots a control plane and a worker. The control plane stays, because a worker gets the certificate of its API from
 * there at each start. Idle, it takes a few percent of one processor.
 *
 * @throws Error when port 50001 of the loopback device is taken, or a machine does not take its configuration
 */
export async function openMeasuredCluster(init: MeasuredClusterInit): Promise<MeasuredCluster> {
  const scope = new AsyncDisposableStack();
  try {
    const words = ['gen', 'config', 'measured', `https://${hostAddress}:6443`];
    await promisify(execFile)(
      process.execPath,
      [init.talosctl, ...words, '--additional-sans', hostAddress, '--config-patch', withoutTimeServer],
      { cwd: init.work },
    );
    scope.use(await startConfigured('controlplane', init, trustdPort));
    const worker = await startConfigured('worker', init);
    await worker.succeeds('shutdown', '--wait=false');
    await worker.off;
    const owned = scope.move();
    return {
      workerDisk: worker.disk,
      identity: readIdentity(join(init.work, 'talosconfig')),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (error) {
    await scope.disposeAsync();
    throw error;
  }
}

interface ConfiguredMachine extends AsyncDisposable {
  readonly disk: string;
  readonly off: Promise<unknown>;
  /** Runs talosctl against the machine until it succeeds. */
  succeeds(...words: string[]): Promise<void>;
}

/** Starts a machine, configures it, and waits until it has mounted EPHEMERAL. */
async function startConfigured(
  role: 'controlplane' | 'worker',
  { image, talosctl, work }: MeasuredClusterInit,
  trustdPort?: number,
): Promise<ConfiguredMachine> {
  const disk = join(work, `${role}.raw`);
  makeMachineDisk(join(image, 'disk.raw'), disk, diskBytes);
  const apiPort = await freePort();
  const address = role === 'worker' ? workerAddress : guestAddress;
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

async function retry(cwd: string, machine: ChildProcess, words: readonly string[]): Promise<void> {
  const end = performance.now() + successTimeoutMs;
  for (;;) {
    try {
      await promisify(execFile)(process.execPath, words, { cwd });
      return;
    } catch (error) {
      if (performance.now() > end || machine.exitCode !== null || machine.pid === undefined) throw error;
      await pause(retryMs);
    }
  }
}

function readIdentity(path: string): ApiIdentity {
  const { context, contexts } = parseTalosconfig(readFileSync(path, 'utf8'), path);
  const { ca = '', crt = '', key } = contexts.get(context) ?? {};
  const text = (base64: string) => Buffer.from(base64, 'base64').toString();
  return { ca: text(ca), cert: text(crt), key: tlsPrivateKey(text(key?.reveal() ?? '')) };
}
