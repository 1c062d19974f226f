import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Fault } from '@nodewright/fault';
import { keepConsoleBounded } from '../cluster/bounded-output.ts';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { writePrivateFile } from '../cluster/write-private-file.ts';
import { daemonEnvironment } from '../domain/daemon-environment.ts';
import { emulatorArguments } from '../domain/emulator-command.ts';
import { clusterVariable } from '../domain/owned-process.ts';
import { type Accelerator, emulatorMissing, emulatorProgram } from '../machine/emulator-options.ts';
import { bindUdpPort } from '../machine/free-port.ts';
import { machineFiles } from './machine-image.ts';

export interface EmulatorStart {
  readonly folder: ClusterFolder;
  readonly node: string;
  readonly apiPort: number;
  /** Undefined for a machine without Kubernetes. */
  readonly kubernetesPort: number | undefined;
  /** The UDP port for the machine's time server, which is started afterwards; undefined for a machine without one. */
  readonly timePort: number | undefined;
  readonly accelerator: Accelerator;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Starts the emulator as a detached process, records its pid, and returns it. It runs on when this process ends. The caller holds
 * the lock of the cluster.
 */
export async function startEmulator(start: EmulatorStart): Promise<number> {
  const { folder, node, apiPort, kubernetesPort, timePort, accelerator, environment } = start;
  await checkPort(apiPort, "the machine's API");
  if (kubernetesPort !== undefined) await checkPort(kubernetesPort, 'its Kubernetes API');
  if (timePort !== undefined) await checkTimePort(timePort);
  const files = machineFiles(folder.nodeRoot(node));
  const words = emulatorArguments({
    ...{ folder: files.folder, console: folder.nodeLog(node), apiPort, kubernetesPort, accelerator },
    commandLine: readFileSync(files.commandLine, 'utf8'),
  });
  const owned = { ...daemonEnvironment(environment), [clusterVariable]: folder.path };
  const log = openSync(folder.supervisorLog, 'a', 0o600);
  try {
    // The console is created before the emulator can: it would let every user read it.
    closeSync(openSync(folder.nodeLog(node), 'a', 0o600));
    const child = spawn(emulatorProgram, words, {
      cwd: files.folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: owned,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(new Fault('failed-precondition', emulatorMissing, { cause: error })),
      );
    });
    child.unref();
    const { pid } = child;
    if (pid === undefined) throw new Fault('internal', 'the emulator was started and has no process');
    keepConsoleBounded(pid, folder.nodeLog(node), owned);
    await writePrivateFile(folder.supervisorPid, `${pid}\n`);
    return pid;
  } finally {
    closeSync(log);
  }
}

/** Throws a Fault when the port of a stopped machine belongs to another process now. */
async function checkPort(port: number, what: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const text = `port ${port} of 127.0.0.1, which leads to ${what}, is in use: end the process that listens on it (ss -ltnp)`;
      reject(new Fault('failed-precondition', text, { cause: error }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/** As `checkPort()`. A time server that belongs to another machine would answer, and end with that machine. */
async function checkTimePort(port: number): Promise<void> {
  try {
    await bindUdpPort(port);
  } catch (error) {
    const text = `UDP port ${port} of 127.0.0.1, at which the machine's time server answers, is in use: end the process that has it (ss -lunp)`;
    throw new Fault('failed-precondition', text, { cause: error });
  }
}
