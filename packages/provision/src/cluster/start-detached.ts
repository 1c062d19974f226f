import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { Fault } from '@nodewright/fault';
import { clusterVariable } from '../domain/owned-process.ts';
import type { SupervisorOrder, SupervisorReport } from '../domain/supervisor-message.ts';
import type { ClusterFolder } from './cluster-folder.ts';

export interface DetachedStart {
  readonly folder: ClusterFolder;
  readonly nodeBinary: string;
  /** The path of its bundle. */
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * A detached process that keeps a cluster running. Until it is released, it ends when its IPC channel to this
 * process closes: when this object is disposed, or when this process dies.
 */
export interface Detached extends AsyncDisposable {
  readonly pid: number;
  /** The report that it sent when it was ready. */
  readonly report: Extract<SupervisorReport, { kind: 'claimed' }>;
  order(message: SupervisorOrder): Promise<void>;
  /** Lets the process run on without this one. */
  release(): Promise<void>;
}

/**
 * Starts the process and waits until it is ready. If it cannot run, throws a Fault with the reason that it
 * reported.
 */
export async function startDetached(start: DetachedStart): Promise<Detached> {
  const { folder, signal } = start;
  signal.throwIfAborted();
  const log = openSync(folder.supervisorLog, 'a', 0o600);
  let child: ChildProcess;
  try {
    child = spawn(start.nodeBinary, ['--disable-sigusr1', start.program, ...start.args], {
      cwd: folder.path,
      detached: true,
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...start.environment, [clusterVariable]: folder.path },
    });
  } finally {
    closeSync(log);
  }
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const disconnect = async () => {
    if (child.connected) child.disconnect();
    await exited;
  };
  try {
    const report = await firstReport(child, signal);
    if (report?.kind === 'claimed') return detached(child, report, disconnect);
    throw report === undefined
      ? new Fault('unavailable', `the supervisor ended before it was ready${lastLine(folder.supervisorLog)}`)
      : new Fault('failed-precondition', report.reason);
  } catch (error) {
    await disconnect();
    throw error;
  }
}

function detached(
  child: ChildProcess,
  report: Detached['report'],
  disconnect: () => Promise<void>,
): Detached {
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
    report,
    order,
    async release() {
      await order({ kind: 'release' });
      released = true;
      child.disconnect();
      child.unref();
    },
    async [Symbol.asyncDispose]() {
      if (!released) await disconnect();
    },
  };
}

/** Resolves to `undefined` when the process ends without a report. */
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
