import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import type { Runner } from '../domain/runner.ts';
import { exitErrorText, lastLogText, type ProcessExit, processRunnerText } from '../domain/runner-text.ts';
import type { ExitGuard } from './exit-guard.ts';
import { copyLines } from './lines-to-log.ts';
import type { ServiceLog } from './log-store.ts';

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
}

const lastLogLookBackBytes = 4096;
/** What a dead process wrote is there at once; only one that it left behind could keep the pipe open. */
const outputTimeoutMs = 1000;

/** Runs a child process until it ends; when it is no longer wanted, SIGTERM and after a time SIGKILL end it. */
export function createProcessRunner(init: ProcessRunnerInit): Runner {
  const text = processRunnerText(init.argv);
  return {
    text,
    async run(report, signal) {
      if (signal.aborted) return;
      const [program = '', ...args] = init.argv;
      const child = spawn(program, args, {
        cwd: init.workingDirectory,
        env: init.environment(),
        // It stays in this process's group: whoever has to end the node by force ends the group.
        stdio: ['ignore', 'pipe', 'pipe'],
        ...init.user,
      });
      // Everything that has to be heard is listened for before the first wait.
      const exit = exitOf(child);
      const output = Promise.all([copyLines(child.stdout, init.log), copyLines(child.stderr, init.log)]);
      const { pid } = child;
      if (pid === undefined)
        throw new Fault('unavailable', `cannot start "${program}": ${(await exit).error}`);

      const release = init.guard.watch(pid);
      init.watcher?.started(pid);
      report('run', `Process ${text} started with PID ${pid}`);
      const kill = killOnAbort(child, signal, init.graceTimeoutMs, (name) =>
        report('signal', `Sending ${name} to ${text}`),
      );
      const ended = await exit.finally(() => {
        kill[Symbol.dispose]();
        release();
        init.watcher?.ended();
      });
      await Promise.race([output, sleep(outputTimeoutMs, undefined, { ref: false })]);
      child.stdout.destroy();
      child.stderr.destroy();
      if (signal.aborted) return;
      const error = exitErrorText(ended, lastLogText(init.log.lastBytes(lastLogLookBackBytes)));
      if (error !== undefined) throw new Fault('unknown', error);
    },
  };
}

function exitOf(child: ChildProcess): Promise<ProcessExit & { error?: string }> {
  const { promise, resolve } = Promise.withResolvers<ProcessExit & { error?: string }>();
  child.on('error', (error) => {
    if (child.pid === undefined) resolve({ code: null, signal: null, error: error.message });
  });
  child.on('exit', (code, signal) => resolve({ code, signal }));
  return promise;
}

function killOnAbort(
  child: ChildProcess,
  signal: AbortSignal,
  graceTimeoutMs: number,
  announce: (name: string) => void,
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const send = (name: 'SIGTERM' | 'SIGKILL') => {
    announce(name);
    child.kill(name);
  };
  const terminate = () => {
    send('SIGTERM');
    timer = setTimeout(() => send('SIGKILL'), graceTimeoutMs);
  };
  signal.addEventListener('abort', terminate, { once: true });
  if (signal.aborted) terminate();
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      signal.removeEventListener('abort', terminate);
    },
  };
}
