import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { OptionTable, OptionValues } from './option.ts';

/** The arguments of a daemon's start function. */
export interface DaemonContext<O> {
  readonly name: string;
  readonly version: string;
  readonly options: O;
  /** Aborted when the daemon must stop. */
  readonly signal: AbortSignal;
  /**
   * Stops the daemon as SIGTERM does, unless it stops already. Its process exits with the code of the first call, even if a signal
   * came before, or the scope does not close in time.
   */
  readonly end: (reason: string, exitCode: number) => void;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The signals that stop a daemon. */
export type StopSignal = 'SIGTERM' | 'SIGINT';

export interface DaemonDefinition<T extends OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly options: T;
  /** How long the scope may take to close after SIGTERM, in milliseconds. Default: 10,000. */
  readonly drainTimeoutMs?: number | ((options: OptionValues<T>) => number);
  /** The exit code after a signal. Default: 0 when everything closed in time, 1 when not. */
  signalledExitCode?(options: OptionValues<T>, signal: StopSignal, hasClosed: boolean): number | undefined;
  /**
   * An additional destination for log lines that depends on the options: machined keeps its own log for the
   * call `Logs`. Lines go to standard output too.
   */
  logSink?(options: OptionValues<T>): { write(line: string): void };
  /** Messages of lines that do not go to standard output, which is the console on a machine. Default: none. */
  hiddenMessages?(options: OptionValues<T>): readonly string[];
  /**
   * Resolves when the daemon serves. It registers what it opens on `scope`, which closes in reverse order
   * when the daemon stops. An error here, or an uncaught one later, ends the process with one log line and a
   * non-zero code.
   */
  start(context: DaemonContext<OptionValues<T>>, scope: AsyncDisposableStack): Promise<void>;
}
