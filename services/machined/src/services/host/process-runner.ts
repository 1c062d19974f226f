import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Runner } from '../../base/domain/runner.ts';
import { copyLines } from '../../logs/host/lines-to-log.ts';
import type { ServiceLog } from '../../logs/host/log-store.ts';
import { exitErrorText, lastLogText, type ProcessExit, processRunnerText } from '../domain/runner-text.ts';
import type { ExitGuard } from './exit-guard.ts';
import { killLeftovers, runVariable } from './leftover-processes.ts';
import type { ServiceCgroup } from './service-cgroups.ts';
import { terminateOnAbort } from './terminate-on-abort.ts';

/** Is told of each process of a runner, in turn. */
export interface ProcessWatcher {
  started(pid: number): void;
  ended(): void;
}

export interface ProcessRunnerInit {
  /** Program first. It must hold no secret: the history shows it. */
  readonly argv: readonly string[];
  readonly workingDirectory: string;
  /** All that the process gets; called at each start. */
  readonly environment: () => NodeJS.ProcessEnv;
  /** Takes standard output and standard error. */
  readonly log: ServiceLog;
  readonly guard: ExitGuard;
  /** How long the process may take to end after SIGTERM. */
  readonly graceTimeoutMs: number;
  /** Runs the process as this user; needs root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly watcher?: ProcessWatcher;
  /** Makes the cgroup of a run; undefined where there are none. */
  readonly cgroup?: () => Promise<ServiceCgroup> | undefined;
  /** How gladly the kernel ends it for want of memory, -1000 to 1000; where that is not allowed it stays as it is. */
  readonly oomScoreAdjust?: number;
}

const lastLogLookBackBytes = 4096;
/** What a dead process wrote is there at once; only one that it left behind could keep the pipe open. */
const outputTimeoutMs = 1000;
/** What was killed is gone at once, unless it waits for a disk. */
const leftoverTimeoutMs = 2000;

/**
 * Runs a child process until it ends; when it is no longer wanted, SIGTERM and after a time SIGKILL end it. However it
 * ends, nothing that it has started stays behind.
 */
export function createProcessRunner(init: ProcessRunnerInit): Runner {
  const text = processRunnerText(init.argv);
  return {
    text,
    async run(report, signal) {
      if (signal.aborted) return;
      const [program = '', ...args] = init.argv;
      const run = randomUUID();
      const cgroup = await init.cgroup?.();
      const child = spawn(program, args, {
        cwd: init.workingDirectory,
        env: { ...init.environment(), [runVariable]: run },
        // It stays in this process's group: whoever has to end the node by force ends the group.
        stdio: ['ignore', 'pipe', 'pipe'],
        ...init.user,
      });
      // Everything that has to be heard is listened for before the first wait.
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
      init.watcher?.started(pid);
      report('run', `Process ${text} started with PID ${pid}`);
      const kill = terminateOnAbort(signal, init.graceTimeoutMs, (name) => {
        report('signal', `Sending ${name} to ${text}`);
        child.kill(name);
      });
      const ended = await exit.finally(() => {
        kill[Symbol.dispose]();
        release();
        init.watcher?.ended();
      });
      await killLeftovers(run, leftoverTimeoutMs);
      const removal = await cgroup?.remove().then(
        () => undefined,
        (error: unknown) => `cannot remove the cgroup of process ${pid}: ${faultFrom(error).message}\n`,
      );
      await Promise.race([output, sleep(outputTimeoutMs, undefined, { ref: false })]);
      child.stdout.destroy();
      child.stderr.destroy();
      const error = exitErrorText(ended, lastLogText(init.log.lastBytes(lastLogLookBackBytes)));
      // After the last words of the process, which are those that count.
      if (removal !== undefined) init.log.write(removal);
      if (signal.aborted) return;
      if (error !== undefined) throw new Fault('unknown', error);
    },
  };
}

/** A net below the others: the service comes up without it, too. */
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
    // Only root may make a process safer, and one that has ended is none any more.
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
