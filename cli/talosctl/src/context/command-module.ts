import type { Telemetry } from '@nodewright/telemetry';
import type { Command } from 'commander';
import type { OwnText } from './own-text.ts';

/** A stream for text output, which may be a terminal. */
export interface OutputStream {
  /** Returns false when the buffer is full. Writers of unlimited output should then wait for `drain`. */
  write(text: string | Uint8Array): unknown;
  /** Writes control sequences of this program to a terminal. `write` escapes all control sequences. */
  writeOwn?(own: OwnText): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** The environment of a command. Tests pass their own. */
export interface CliEnvironment {
  /** Results. */
  readonly stdout: OutputStream;
  /** Errors, warnings, progress. */
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadStream;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** The absolute path that paths from the user are relative to. */
  readonly cwd: string;
  now(): Date;
  /** Aborted by SIGHUP, and by the first Ctrl-C or SIGTERM. The second one of these exits the process at once. */
  readonly signal: AbortSignal;
  /** Whether the user can be asked a question, because stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** Opened by the first call and flushed before the exit. Does nothing unless `OTEL_*` names an endpoint. */
  telemetry(): Promise<Telemetry>;
}

/**
 * One command of talosctl. Its module is imported only to run the command, to print its help or to complete it.
 *
 * An action fails by throwing, and the exit code is 1. A `Fault` or any other error is printed as one line on stderr. A
 * `UsageFault` also names the help of the command. For a `ReportedFailure` nothing more is printed. The exit code of an
 * `InterruptedFailure` is 130, that of a `DifferenceFound` 3. After Ctrl-C the last line says what has become of the command. Actions never call `process.exit`.
 */
export interface CommandModule {
  /** Adds arguments, options, subcommands and the action to `command`, which already has its name and summary. */
  define(command: Command, env: CliEnvironment): void;
}
