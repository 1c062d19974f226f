import { Fault } from '@nodewright/fault';
import type { ReportRunner, Runner } from '../domain/runner.ts';
import { lastLogText, lookBackBytes, type ProcessExit } from '../domain/runner-text.ts';
import type { ServiceLog } from '../logs/host/log-store.ts';
import { type EndingSignal, terminateOnAbort } from './terminate-on-abort.ts';

/** Receives each process of a runner, one after the other. */
export interface ProcessWatcher {
  started(pid: number): void;
  ended(): void;
}

/** A process that was started. It belongs to its runner. */
export interface LaunchedProcess {
  readonly pid: number;
  readonly exit: Promise<ProcessExit>;
  hasExited(): boolean;
  /** Does nothing when the process has ended. */
  kill(name: EndingSignal): void;
  /** To be called after its exit. @returns why something of it is still there */
  cleanUp(): Promise<string | undefined>;
}

/** The messages about the processes of a runner. */
export interface LaunchedTexts {
  /** The runner's name in the messages of the history. */
  readonly runner: string;
  readonly started: (pid: number) => string;
  readonly signalled: (name: EndingSignal, pid: number) => string;
  /** Why a process has ended; undefined when it has not failed. */
  readonly failed: (exit: ProcessExit, lastLog: string) => string | undefined;
}

export interface LaunchedRunnerInit {
  readonly texts: LaunchedTexts;
  /** @throws Fault `unavailable` when the process cannot be started */
  readonly launch: () => Promise<LaunchedProcess>;
  /** Receives the output of the process. */
  readonly log: ServiceLog;
  /** How long the process may take to end after SIGTERM. */
  readonly graceTimeoutMs: number;
  readonly watcher?: ProcessWatcher | undefined;
  /** The process is started while its service still waits for its conditions (`Runner.startAhead`). */
  readonly startsAhead?: boolean | undefined;
}

/** Runs a process until it ends. When it is stopped, it gets SIGTERM, and SIGKILL after a time. */
export function createLaunchedRunner(init: LaunchedRunnerInit): Runner {
  const { texts, log, watcher } = init;
  let early: EarlyProcess | undefined;
  return {
    text: texts.runner,
    async run(report: ReportRunner, signal: AbortSignal) {
      if (signal.aborted) return;
      const startOffset = early?.startOffset ?? log.ring.endOffset;
      const launched = (await early?.take()) ?? (await init.launch());
      const { pid, exit } = launched;
      watcher?.started(pid);
      report('run', texts.started(pid));
      const kill = terminateOnAbort(signal, init.graceTimeoutMs, (name) => {
        report('signal', texts.signalled(name, pid));
        launched.kill(name);
      });
      const ended = await exit.finally(() => {
        kill[Symbol.dispose]();
        watcher?.ended();
      });
      const leftover = await launched.cleanUp();
      const error = texts.failed(ended, lastLogText(log.bytesSince(startOffset, lookBackBytes)));
      // After the last output of the process, which is the most important.
      if (leftover !== undefined) log.write(leftover);
      if (signal.aborted) return;
      if (error !== undefined) throw new Fault('unknown', error);
    },
    ...(init.startsAhead === true && {
      async startAhead(signal: AbortSignal) {
        early ??= new EarlyProcess(init);
        const own = early;
        await own.until(signal);
        if (early === own) early = undefined;
      },
    }),
  };
}

/** A process that runs before its service does. */
class EarlyProcess {
  /** Where its output begins in the log. */
  readonly startOffset: number;
  readonly #graceTimeoutMs: number;
  readonly #launched: Promise<LaunchedProcess | undefined>;
  readonly #taken = Promise.withResolvers<'taken'>();
  /** Resolves when the process was taken or has ended. */
  readonly #over: Promise<void>;

  constructor({ launch, graceTimeoutMs, log }: LaunchedRunnerInit) {
    this.startOffset = log.ring.endOffset;
    this.#graceTimeoutMs = graceTimeoutMs;
    // The run that follows tries again, and reports why a program cannot be started.
    this.#launched = launch().catch(() => undefined);
    this.#over = this.#follow();
  }

  /** The running process, which belongs to the caller from then on; `undefined` when it has ended. */
  async take(): Promise<LaunchedProcess | undefined> {
    const launched = await this.#launched;
    if (launched === undefined || launched.hasExited()) {
      await this.#over;
      return undefined;
    }
    this.#taken.resolve('taken');
    return launched;
  }

  /** Resolves when the process was taken or has ended. Until then an abort of `signal` ends it. */
  async until(signal: AbortSignal): Promise<void> {
    const launched = await this.#launched;
    if (launched === undefined) return;
    using _kill = terminateOnAbort(signal, this.#graceTimeoutMs, (name) => launched.kill(name));
    await this.#over;
  }

  async #follow(): Promise<void> {
    const launched = await this.#launched;
    if (launched === undefined) return;
    if ((await Promise.race([launched.exit, this.#taken.promise])) !== 'taken') await launched.cleanUp();
  }
}
