import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Runner } from '../domain/runner.ts';
import { exitErrorText, type ProcessExit, processRunnerText } from '../domain/runner-text.ts';
import { copyLines } from '../logs/host/lines-to-log.ts';
import type { ServiceLog } from '../logs/host/log-store.ts';
import type { ExitGuard } from './exit-guard.ts';
import { createLaunchedRunner, type LaunchedProcess, type ProcessWatcher } from './launched-runner.ts';
import { killLeftovers, runVariable } from './leftover-processes.ts';
import type { ServiceCgroup } from './service-cgroups.ts';

export interface ProcessRunnerInit {
  /** Program first. It must contain no secret, because the history shows it. */
  readonly argv: readonly string[];
  readonly workingDirectory: string;
  /** The complete environment of the process; called at each start. */
  readonly environment: () => NodeJS.ProcessEnv;
  /** Receives standard output and standard error. */
  readonly log: ServiceLog;
  readonly guard: ExitGuard;
  /** How long the process may take to end after SIGTERM. */
  readonly graceTimeoutMs: number;
  /** Runs the process as this user; needs root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly watcher?: ProcessWatcher;
  /** Creates the cgroup of a run; undefined without cgroups. */
  readonly cgroup?: () => Promise<ServiceCgroup> | undefined;
  /** Processes that it has started live on when it ends; by default they are killed. */
  readonly leavesDescendants?: boolean;
  /** `oom_score_adj`, -1000 (never) to 1000 (first); ignored if the process may not set it. */
  readonly oomScoreAdjust?: number;
  /** The process is started while its service still waits for its conditions (`Runner.startAhead`). */
  readonly startsAhead?: boolean;
}

/** The remaining output of a dead process arrives at once, unless a descendant keeps the pipe open. */
const outputTimeoutMs = 1000;
/** A killed process is gone at once, unless it waits for a disk. */
const leftoverTimeoutMs = 2000;

/**
 * Runs a child process until it ends. When it is stopped, it gets SIGTERM, and SIGKILL after a time. In every
 * case its descendants are killed, unless they may outlive it.
 */
export function createProcessRunner(init: ProcessRunnerInit): Runner {
  const text = processRunnerText(init.argv);
  return createLaunchedRunner({
    ...init,
    texts: {
      runner: text,
      started: (pid) => `Process ${text} started with PID ${pid}`,
      signalled: (name) => `Sending ${name} to ${text}`,
      failed: exitErrorText,
    },
    launch: () => launch(init),
  });
}

/** @throws Fault `unavailable` when the program cannot be started */
async function launch(init: ProcessRunnerInit): Promise<LaunchedProcess> {
  const [program = '', ...args] = init.argv;
  const run = randomUUID();
  const cgroup = await init.cgroup?.();
  const child = spawn(program, args, {
    cwd: init.workingDirectory,
    env: { ...init.environment(), [runVariable]: run },
    // It stays in this process's group, so that a forced end of the node can kill the whole group.
    stdio: ['ignore', 'pipe', 'pipe'],
    ...init.user,
  });
  // All listeners are attached before the first await.
  const exit = exitOf(child);
  const output = Promise.all([copyLines(child.stdout, init.log), copyLines(child.stderr, init.log)]);
  const { pid } = child;
  if (pid === undefined) {
    const { error } = await exit;
    await cgroup?.remove().catch(() => {});
    throw new Fault('unavailable', `cannot start "${program}": ${error}`);
  }
  if (cgroup !== undefined) enter(cgroup, pid, init.log);
  if (init.oomScoreAdjust !== undefined) adjustOomScore(pid, init.oomScoreAdjust);
  const release = init.guard.watch(pid);
  return {
    pid,
    exit: exit.finally(release),
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    kill: (name) => void child.kill(name),
    async cleanUp() {
      if (init.leavesDescendants !== true) await killLeftovers(run, leftoverTimeoutMs);
      const removal = await cgroup?.remove().then(
        () => undefined,
        (error: unknown) => `cannot remove the cgroup of process ${pid}: ${faultFrom(error).message}\n`,
      );
      await Promise.race([output, sleep(outputTimeoutMs, undefined, { ref: false })]);
      child.stdout.destroy();
      child.stderr.destroy();
      return removal;
    },
  };
}

/** The cgroup is an additional safeguard: the service runs without it, too. */
function enter(cgroup: ServiceCgroup, pid: number, log: ServiceLog): void {
  try {
    cgroup.add(pid);
  } catch (error) {
    log.write(`process ${pid} has no cgroup of its own: ${faultFrom(error).message}\n`);
  }
}

function adjustOomScore(pid: number, score: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, String(score));
  } catch {
    // Only root may lower the score, and the process may have ended already.
  }
}

function exitOf(child: ChildProcess): Promise<ProcessExit & { error?: string }> {
  const { promise, resolve } = Promise.withResolvers<ProcessExit & { error?: string }>();
  child.on('error', (error) => {
    if (child.pid === undefined) resolve({ code: null, signal: null, error: error.message });
  });
  child.on('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}
