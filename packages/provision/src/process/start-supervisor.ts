import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Fault } from '@nodewright/fault';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import { daemonEnvironment } from '../domain/daemon-environment.ts';
import { clusterVariable } from '../domain/owned-process.ts';
import { parseSubnet, type Subnet, subnetCidr } from '../domain/subnet.ts';
import type { SupervisorOrder, SupervisorReport } from '../domain/supervisor-message.ts';
import type { ProcessPrograms } from './programs.ts';

export interface SupervisorStart {
  readonly folder: ClusterFolder;
  readonly candidates: readonly Subnet[];
  readonly programs: ProcessPrograms;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * A supervisor that still depends on us. Disposing before it is released ends it, and everything it started: it
 * notices that we let go, even when this process is killed.
 */
export interface StartedSupervisor extends AsyncDisposable {
  readonly pid: number;
  /** The address range it holds for the cluster. */
  readonly subnet: Subnet;
  /** Their configuration is in place: start them. */
  startNodes(names: readonly string[]): Promise<void>;
  /** From now on it runs without us. */
  release(): Promise<void>;
}

/**
 * Starts the detached supervisor of a cluster and waits until it holds the first free one of the candidates. Throws a
 * Fault with the supervisor's own reason when it cannot.
 */
export async function startSupervisor(start: SupervisorStart): Promise<StartedSupervisor> {
  const { folder, candidates, programs, signal } = start;
  signal.throwIfAborted();
  const log = openSync(folder.supervisorLog, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(
      programs.nodeBinary,
      [
        programs.supervisor,
        ...['--folder', folder.path],
        ...['--cidrs', candidates.map(subnetCidr).join(',')],
        ...['--services-dir', programs.servicesFolder],
        ...['--node-binary', programs.nodeBinary],
      ],
      {
        cwd: folder.path,
        detached: true,
        stdio: ['ignore', log, log, 'ipc'],
        env: { ...daemonEnvironment(start.environment), [clusterVariable]: folder.path },
      },
    );
  } finally {
    closeSync(log);
  }
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const letGo = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  try {
    const report = await firstReport(child, signal);
    if (report?.kind === 'claimed') return startedSupervisor(child, report.cidr, letGo);
    throw report === undefined
      ? new Fault('unavailable', `the supervisor ended before it was ready${lastLine(folder.supervisorLog)}`)
      : new Fault('failed-precondition', report.reason);
  } catch (error) {
    await letGo();
    throw error;
  }
}

function startedSupervisor(child: ChildProcess, cidr: string, letGo: () => Promise<void>): StartedSupervisor {
  const order = (message: SupervisorOrder) =>
    new Promise<void>((resolve, reject) => {
      child.send(message, (error) => {
        if (error === null) resolve();
        else reject(new Fault('unavailable', 'the supervisor is gone', { cause: error }));
      });
    });
  let released = false;
  return {
    pid: child.pid ?? 0,
    subnet: parseSubnet(cidr),
    startNodes: (nodes) => order({ kind: 'start', nodes }),
    async release() {
      await order({ kind: 'release' });
      released = true;
      child.disconnect();
      child.unref();
    },
    async [Symbol.asyncDispose]() {
      if (!released) await letGo();
    },
  };
}

/** Undefined when the process ends without a word, or cannot be started. */
function firstReport(child: ChildProcess, signal: AbortSignal): Promise<SupervisorReport | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<SupervisorReport | undefined>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  child.once('message', (message) => resolve(message as SupervisorReport));
  child.once('exit', () => resolve(undefined));
  child.once('error', (error) =>
    reject(new Fault('unavailable', `the supervisor cannot be started: ${error.message}`, { cause: error })),
  );
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

function lastLine(path: string): string {
  const line = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1);
  return line === undefined || line === '' ? `: see ${path}` : `: ${line} (${path})`;
}
