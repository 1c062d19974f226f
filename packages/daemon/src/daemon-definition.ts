import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { OptionTable, OptionValues } from './option.ts';

/** What a daemon is given when it starts. */
export interface DaemonContext<O> {
  readonly name: string;
  readonly version: string;
  readonly options: O;
  /** Aborted when the daemon is asked to stop: stop wanting things. */
  readonly signal: AbortSignal;
  /** Stops the daemon as SIGTERM does, and ends its process with this exit code, whatever the drain comes to. */
  readonly end: (reason: string, exitCode: number) => void;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface DaemonDefinition<T extends OptionTable> {
  readonly name: string;
  readonly summary: string;
  readonly options: T;
  /** How long the scope may take to close after SIGTERM, in milliseconds. Default 10,000. */
  readonly drainTimeoutMs?: number;
  /** The exit code after SIGTERM or SIGINT when everything closed in time; default 0. */
  signalledExitCode?(options: OptionValues<T>): number;
  /**
   * More places for log lines, known only once the options are: machined keeps its own log for the Logs call.
   * Lines always go to standard output too.
   */
  logSink?(options: OptionValues<T>): { write(line: string): void };
  /**
   * Returns when the daemon serves. What it opens goes on `scope`, which closes in reverse when the daemon stops.
   * A throw here, or anywhere later, ends the process with one line and a non-zero code.
   */
  start(context: DaemonContext<OptionValues<T>>, scope: AsyncDisposableStack): Promise<void>;
}
