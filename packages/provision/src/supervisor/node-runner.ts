import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { plannedEnds } from '@nodewright/boot';
import { nodeExitCodes } from '@nodewright/contract';
import type { Logger } from '@nodewright/telemetry';
import { keepOutputBounded, type OutputLimits } from '../cluster/bounded-output.ts';
import { sendSignal } from '../cluster/cluster-processes.ts';
import type { NodeRunState, NodeStatus } from '../domain/claim.ts';
import { planReboot, planRestart, type RestartHistory } from '../domain/plan-restart.ts';
import { watchTrial } from './watch-trial.ts';

/** What one start of a node runs. */
export interface NodeStart {
  /** The command line, beginning with the program. */
  readonly command: readonly string[];
  /** Added to the environment of the node. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The folder of the slot that this start tries; undefined when it is watched by nobody. */
  readonly tried?: string | undefined;
}

export interface NodeRunnerInit {
  readonly name: string;
  /**
   * Called right before each start: what it answers is started.
   *
   * @param lastExit how the run before ended; undefined at the first start
   * @throws when the node cannot be started; it is tried again
   */
  readonly nextStart: (lastExit: string | undefined) => NodeStart;
  /**
   * The working directory. Unix sockets are bound relative to it, because their paths have a length limit.
   */
  readonly root: string;
  readonly logPath: string;
  readonly pidPath: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** How long machined may take to stop after SIGTERM before it is killed, in milliseconds. */
  readonly stopTimeoutMs: number;
  readonly now: () => Date;
  /** Of the log of the node; default 16 MiB, checked every 30 s. */
  readonly outputLimits?: OutputLimits;
}

/**
 * Keeps one node's machined running from start() until it is disposed. Each machined leads a process group of
 * its own. When machined ends, the rest of its group is killed before the restart, so that ports and sockets
 * are free. An exit code for a reboot restarts it at once. After an exit code for a shutdown it stays down
 * until the next start(). Its standard input is a pipe that closes when this process ends for whatever
 * reason.
 */
export class NodeRunner implements AsyncDisposable {
  readonly #init: NodeRunnerInit;
  #state: NodeRunState = 'waiting';
  #since: Date;
  #child: ChildProcess | undefined;
  #startedAtMs = 0;
  #wasStarted = false;
  #restarts = 0;
  #history: RestartHistory = { quickDeaths: 0 };
  #lastExit: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isTurningOff = false;
  #trial: Disposable | undefined;
  #isHung = false;
  /** Until when a node that stops is started again, because it was asked for meanwhile. Monotonic. */
  #startWishEndsMs = 0;
  readonly #boundedOutput: Disposable;

  constructor(init: NodeRunnerInit) {
    this.#init = init;
    this.#boundedOutput = keepOutputBounded([init.logPath], init.outputLimits);
    this.#since = init.now();
  }

  get name(): string {
    return this.#init.name;
  }

  /**
   * Starts the node if it was not started yet or is off. A node that runs may be shutting down through its API, which
   * nothing shows from outside: if it ends as for a shutdown within the time that this may take, it is started then.
   */
  start(): void {
    if (this.#state === 'running') this.#startWishEndsMs = performance.now() + this.#init.stopTimeoutMs;
    if (this.#state === 'waiting') this.#spawn();
    else this.startIfOff();
  }

  /** Starts the node if it is off, or once it is if it is being stopped. */
  startIfOff(): void {
    if (this.#state === 'off') this.#startAgain();
    else if (this.#isTurningOff) this.#startWishEndsMs = Number.POSITIVE_INFINITY;
  }

  /** Stops the node until the next start(). Does nothing for a node that is off or was not started yet. */
  turnOff(): void {
    if (this.#state !== 'running' && this.#state !== 'restarting') return;
    this.#startWishEndsMs = 0;
    clearTimeout(this.#timer);
    const { pid } = this.#child ?? {};
    if (pid === undefined) {
      this.#enter('off');
      return;
    }
    this.#isTurningOff = true;
    sendSignal(pid, 'SIGTERM');
    this.#timer = setTimeout(() => sendSignal(-pid, 'SIGKILL'), this.#init.stopTimeoutMs);
  }

  status(): NodeStatus {
    return {
      name: this.#init.name,
      state: this.#state,
      ...(this.#child?.pid === undefined ? {} : { pid: this.#child.pid }),
      restarts: this.#restarts,
      since: this.#since.toISOString(),
      ...(this.#lastExit === undefined ? {} : { lastExit: this.#lastExit }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    using _output = this.#boundedOutput;
    this.#trial?.[Symbol.dispose]();
    clearTimeout(this.#timer);
    this.#enter('stopping');
    const child = this.#child;
    if (child?.pid === undefined) return;
    const { pid } = child;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    sendSignal(pid, 'SIGTERM');
    const kill = setTimeout(() => sendSignal(-pid, 'SIGKILL'), this.#init.stopTimeoutMs);
    await exited;
    clearTimeout(kill);
    await groupEnded(pid);
  }

  #spawn(): void {
    const { nextStart, root, environment, logPath, log, name } = this.#init;
    const { command, environment: added, tried } = nextStart(this.#lastExit);
    const [program = '', ...args] = command;
    const output = openSync(logPath, 'a', 0o600);
    try {
      const child = spawn(program, args, {
        cwd: root,
        detached: true,
        stdio: ['pipe', output, output],
        // Only the first start belongs to the trace of the command that started the supervisor.
        env: { ...environment, ...added, ...(this.#wasStarted && { TRACEPARENT: undefined }) },
      });
      this.#startedAtMs = performance.now();
      this.#wasStarted = true;
      child.stdin?.on('error', () => {});
      // A program that cannot be started emits `error`, but no `exit`.
      child.once('error', (error) => this.#onExit(child, error.message));
      child.once('exit', (code, signal) => this.#onExit(child, signal ?? exitText(code)));
      this.#child = child;
      if (tried !== undefined) this.#trial = watchTrial({ slot: tried, onHang: () => this.#endHung() });
      this.#enter('running');
      if (child.pid !== undefined) this.#writePid(child.pid);
      log.info({ node: name, pid: child.pid, restarts: this.#restarts }, 'node started');
    } finally {
      closeSync(output);
    }
  }

  /** A node that runs is not started a second time because its pid cannot be stored. */
  #writePid(pid: number): void {
    const { pidPath, log, name } = this.#init;
    try {
      writeFileSync(pidPath, `${pid}\n`, { mode: 0o600 });
    } catch (error) {
      log.error({ node: name, pid, error: String(error) }, 'the pid of the node cannot be stored');
    }
  }

  #endHung(): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    this.#isHung = true;
    this.#init.log.warn({ node: this.#init.name }, 'the tried system of the node hangs, and is killed');
    sendSignal(-pid, 'SIGKILL');
  }

  #onExit(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#trial?.[Symbol.dispose]();
    this.#lastExit = this.#isHung ? 'it hung, and was killed' : how;
    this.#isHung = false;
    if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
    const { log, name } = this.#init;
    if (this.#state === 'stopping') {
      log.info({ node: name, how }, 'node stopped');
      return;
    }
    const isTurnedOff = this.#isTurningOff;
    this.#isTurningOff = false;
    if (isTurnedOff) clearTimeout(this.#timer);
    const isWanted = performance.now() < this.#startWishEndsMs;
    this.#startWishEndsMs = 0;
    if (isTurnedOff || how === plannedEnds.powerOff) {
      this.#enter(isWanted ? 'restarting' : 'off');
      log.info({ node: name }, isWanted ? 'node is off, and is started as requested' : 'node is off');
      if (isWanted) this.#startAfter(child, 0);
      return;
    }
    this.#enter('restarting');
    const ranForMs = performance.now() - this.#startedAtMs;
    if (how === plannedEnds.reboot) {
      const { delayMs, history } = planReboot(this.#history, ranForMs);
      this.#history = history;
      log.info({ node: name, delayMs }, 'node reboots');
      this.#startAfter(child, delayMs);
      return;
    }
    const { delayMs, history } = planRestart(this.#history, ranForMs);
    this.#history = history;
    log.warn({ node: name, how, delayMs }, 'node died');
    this.#timer = setTimeout(() => this.#restart(), delayMs);
  }

  /** Waits until the rest of the process group has ended, because it still has the ports. */
  #startAfter(child: ChildProcess, delayMs: number): void {
    void groupEnded(child.pid ?? 0).then(() => {
      if (this.#state !== 'restarting') return;
      this.#timer = setTimeout(() => this.#startAgain(), delayMs);
    });
  }

  #restart(): void {
    this.#restarts++;
    this.#startAgain();
  }

  #startAgain(): void {
    try {
      this.#spawn();
    } catch (error) {
      // The folder may be missing or the disk full. This can be temporary, and the other nodes must run on.
      this.#init.log.error({ node: this.#init.name, error: String(error) }, 'node could not be started');
      const { delayMs, history } = planRestart(this.#history, 0);
      this.#history = history;
      this.#enter('restarting');
      this.#timer = setTimeout(() => this.#restart(), delayMs);
    }
  }

  #enter(state: NodeRunState): void {
    this.#state = state;
    this.#since = this.#init.now();
  }
}

function exitText(code: number | null): string {
  if (code === nodeExitCodes.reboot) return plannedEnds.reboot;
  return code === nodeExitCodes.powerOff ? plannedEnds.powerOff : `exit code ${code}`;
}

/**
 * Waits until the kernel has ended the killed process group. Gives up after one second, because a process
 * whose parent does not reap it never disappears.
 */
async function groupEnded(leaderPid: number): Promise<void> {
  for (let turn = 0; turn < 100; turn++) {
    try {
      process.kill(-leaderPid, 0);
    } catch {
      return;
    }
    await sleep(10);
  }
}
