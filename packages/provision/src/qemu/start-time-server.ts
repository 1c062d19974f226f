import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { pause } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { querySntp } from '@nodewright/sntp';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { daemonEnvironment } from '../domain/daemon-environment.ts';
import { clusterVariable } from '../domain/owned-process.ts';

export interface TimeServerStart {
  readonly folder: ClusterFolder;
  readonly nodeBinary: string;
  /** The bundle of the time server. */
  readonly program: string;
  /** Of the loopback device, which the machine reaches at the address of its host. */
  readonly port: number;
  /** The time server ends with this process. */
  readonly emulatorPid: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

const loopback = '127.0.0.1';
const startTimeoutMs = 30_000;
const attemptTimeoutMs = 1000;

/**
 * Starts the time server of a machine as a detached process, and waits until it answers: without it the machine would wait for its
 * clock. It runs on when this process ends, and ends with the emulator.
 *
 * @throws Fault `unavailable` when it does not answer in time, such as when its port is taken
 */
export async function startTimeServer(start: TimeServerStart): Promise<void> {
  const { folder, nodeBinary, program, port, emulatorPid, environment, signal } = start;
  const words = ['--address', loopback, '--port', `${port}`, '--while-pid', `${emulatorPid}`];
  const log = openSync(folder.supervisorLog, 'a', 0o600);
  try {
    const child = spawn(nodeBinary, [program, ...words], {
      // The folder from which the machine was started can be removed or unmounted.
      ...{ cwd: '/', detached: true, stdio: ['ignore', log, log] },
      env: { ...daemonEnvironment(environment), [clusterVariable]: folder.path },
    });
    // Its absence is found below.
    child.on('error', () => {});
    child.unref();
  } finally {
    closeSync(log);
  }
  const deadline = performance.now() + startTimeoutMs;
  for (;;) {
    try {
      await querySntp({ server: `${loopback}:${port}`, timeoutMs: attemptTimeoutMs, signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() > deadline) {
        const text = `the time server of the machine does not answer at UDP port ${port} of ${loopback}: ${faultFrom(error).message} (log: ${folder.supervisorLog})`;
        throw new Fault('unavailable', text, { cause: error });
      }
      await pause(100, signal);
    }
  }
}
