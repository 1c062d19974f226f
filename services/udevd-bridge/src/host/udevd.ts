import { type ChildProcess, spawn } from 'node:child_process';
import { pause } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { udevdArguments, udevEnvironment } from '../domain/udev-programs.ts';

export interface UdevdInit {
  readonly program: string;
  /** Receives the output. */
  readonly output: { write(text: string): void };
  /** Ends a udevd that an earlier run of the daemon has left. */
  readonly endOther: () => Promise<void>;
  /** Called after each start. */
  readonly onStarted: () => void;
  readonly log: Logger;
  /** The first pause before udevd is started again, in ms; it doubles up to the last one. */
  readonly restartMs?: { readonly first: number; readonly last: number };
}

/** udevd as a child process, which is started again when it ends. */
export interface Udevd extends AsyncDisposable {
  readonly isRunning: boolean;
  /** How often it was started again. */
  readonly restarts: number;
  /** Why it does not run; empty while it does. */
  readonly problem: string;
}

const usualRestartMs = { first: 500, last: 30_000 };
/** A run of this length was no failure to start. */
const calmMs = 60_000;
/** Source: Talos v1.14: runners. */
const graceMs = 10_000;

export function startUdevd(init: UdevdInit): Udevd {
  const stop = new AbortController();
  const state = { isRunning: false, restarts: 0, problem: 'udevd is starting' };
  const ended = supervise(init, state, stop.signal);
  return {
    get isRunning() {
      return state.isRunning;
    },
    get restarts() {
      return state.restarts;
    },
    get problem() {
      return state.problem;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

async function supervise(
  init: UdevdInit,
  state: { isRunning: boolean; restarts: number; problem: string },
  signal: AbortSignal,
): Promise<void> {
  const { first, last } = init.restartMs ?? usualRestartMs;
  let pauseMs = first;
  for (let run = 0; !signal.aborted; run += 1) {
    state.restarts = run;
    const startedMs = performance.now();
    try {
      await init.endOther();
      if (signal.aborted) return;
      await runOnce(init, state, signal);
    } catch (error) {
      state.problem = faultFrom(error).message;
    }
    state.isRunning = false;
    if (signal.aborted) return;
    if (performance.now() - startedMs > calmMs) pauseMs = first;
    init.log.error({ problem: state.problem, pauseMs }, 'udevd has ended and is started again');
    await pause(pauseMs, signal);
    pauseMs = Math.min(2 * pauseMs, last);
  }
}

async function runOnce(
  { program, output, onStarted, log }: UdevdInit,
  state: { isRunning: boolean; problem: string },
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(program, [...udevdArguments], {
    cwd: '/',
    env: { ...udevEnvironment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = exitOf(child);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.write(text));
    stream.on('error', () => stream.destroy());
  }
  if (child.pid !== undefined) {
    state.isRunning = true;
    state.problem = '';
    log.info({ pid: child.pid }, 'udevd started');
    onStarted();
  }
  const kill = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
  };
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill, { once: true });
  try {
    state.problem = await exit;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

/** Resolves to the reason for which it does not run any more. */
function exitOf(child: ChildProcess): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.on('error', (error) => {
    if (child.pid === undefined) resolve(`udevd cannot be started: ${error.message}`);
  });
  child.on('exit', (code, name) =>
    resolve(name === null ? `udevd has ended with exit status ${code}` : `udevd was ended by ${name}`),
  );
  return promise;
}
