import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RuntimeSpec } from '@nodewright/containers/spec';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import {
  type AdoptedChildren,
  createLaunchedRunner,
  type ExitGuard,
  type LaunchedProcess,
  lastLogText,
  type ProcessWatcher,
  type Runner,
  type ServiceCgroup,
} from '@nodewright/services';
import { copyLines, type ServiceLog } from '@nodewright/services/logs';
import {
  containerRunnerText,
  taskErrorText,
  taskSignalText,
  taskStartedText,
} from '../domain/container-text.ts';

/** Path on a machine. */
export const runcProgram = '/usr/bin/runc';

export interface RuncRunnerInit {
  /** Letters, digits, hyphens and underscores. */
  readonly id: string;
  /** The program runc. */
  readonly runc: string;
  /** The folder for the state of this container; it is emptied at each start. */
  readonly folder: string;
  /** Called at each start. */
  readonly spec: () => RuntimeSpec | Promise<RuntimeSpec>;
  /**
   * Prepares the root folder that the specification names. What it returns is called when the container has ended, or could not
   * be started.
   */
  readonly openRoot: (path: string) => Promise<AsyncDisposable>;
  /** Creates the cgroup that the specification names. */
  readonly openCgroup: () => Promise<ServiceCgroup>;
  /** Receives standard output and standard error. */
  readonly log: ServiceLog;
  readonly guard: ExitGuard;
  readonly children: AdoptedChildren;
  readonly graceTimeoutMs: number;
  readonly watcher?: ProcessWatcher | undefined;
  readonly startsAhead?: boolean;
}

const stateMode = 0o700;
/** For runc, which takes seconds on an emulated machine. */
const startTimeoutMs = 60_000;
const lastLogLookBackBytes = 4096;
/** The last output of a dead process arrives at once. */
const outputTimeoutMs = 1000;
const repeatSignalMs = 500;

/**
 * Runs a program of the node itself in a container until it ends. runc makes the container and ends: the program is a child of this process then,
 * which must be the first one. So no shim stays in memory, and no containerd is needed.
 */
export function createRuncRunner(init: RuncRunnerInit): Runner {
  const { id } = init;
  return createLaunchedRunner({
    ...init,
    texts: {
      runner: containerRunnerText('runc', id),
      started: (pid) => taskStartedText(id, pid),
      signalled: (name, pid) => taskSignalText(name, id, pid),
      failed: ({ code }, lastLog) => taskErrorText(id, code ?? 0, lastLog),
    },
    launch: () => launch(init),
  });
}

/** @throws Fault `unavailable` when the container cannot be started */
async function launch(init: RuncRunnerInit): Promise<LaunchedProcess> {
  const { id, runc, folder, log } = init;
  const pidFile = join(folder, 'pid');
  const spec = await init.spec();
  await using failed = new AsyncDisposableStack();
  const root = failed.use(await init.openRoot(spec.root.path));
  await rm(folder, { recursive: true, force: true });
  await makeFolder(folder, stateMode);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(spec), { mode: 0o600 });
  const cgroup = await init.openCgroup();
  const child = spawn(
    runc,
    [
      ...['--root', join(folder, 'state'), 'run', '--detach'],
      ...['--bundle', folder, '--pid-file', pidFile, id],
    ],
    { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'], timeout: startTimeoutMs, killSignal: 'SIGKILL' },
  );
  // All listeners are attached before the first await.
  const started = startOf(child);
  // The program has the same pipes as runc, and is the last one to close them.
  const output = Promise.all([copyLines(child.stdout, log), copyLines(child.stderr, log)]);
  const closePipes = async () => {
    await Promise.race([output, sleep(outputTimeoutMs, undefined, { ref: false })]);
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const problem = await started;
  if (problem !== undefined) {
    await cgroup.remove().catch(() => {});
    await closePipes();
    const lastLog = lastLogText(log.lastBytes(lastLogLookBackBytes));
    throw new Fault('unavailable', `cannot start container "${id}": ${problem}: ${lastLog}`);
  }
  failed.move();
  const pid = Number(readFileSync(pidFile, 'utf8'));
  const release = init.guard.watch(pid);
  let hasExited = false;
  const exit = init.children.exitCodeOf(pid, output).then((code) => {
    hasExited = true;
    release();
    return { code, signal: null };
  });
  const send = (name: NodeJS.Signals) => {
    if (hasExited) return;
    try {
      process.kill(pid, name);
    } catch {
      // It ended at the same moment.
    }
  };
  return {
    pid,
    exit,
    hasExited: () => hasExited,
    kill(name) {
      send(name);
      if (name === 'SIGTERM') repeat(() => send(name), exit);
    },
    async cleanUp() {
      const removal = await cgroup.remove().then(
        () => undefined,
        (error: unknown) => `cannot remove the cgroup of container ${id}: ${faultFrom(error).message}\n`,
      );
      const closing = await closed(root, id);
      await closePipes();
      await rm(folder, { recursive: true, force: true });
      return removal ?? closing;
    },
  };
}

async function closed(root: AsyncDisposable, id: string): Promise<string | undefined> {
  try {
    await root[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    return `cannot remove the root of container ${id}: ${faultFrom(error).message}\n`;
  }
}

/** The kernel drops signals to the first process of a namespace that has no handler yet, as while Node.js loads. */
function repeat(send: () => void, end: Promise<unknown>): void {
  const timer = setInterval(send, repeatSignalMs);
  void end.finally(() => clearInterval(timer));
}

/** Resolves when runc has ended, to the reason for which there is no container. */
function startOf(child: ChildProcess): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  child.on('error', (error) => resolve(error.message));
  child.on('exit', (code, signal) =>
    resolve(code === 0 ? undefined : signal === null ? `exit status ${code}` : `signal: ${signal}`),
  );
  return promise;
}
