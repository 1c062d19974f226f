import type { Telemetry } from '@nodewright/telemetry';
import type { Command } from 'commander';
import type { OwnText } from './output/own-text.ts';

/** A stream that text is written to. A terminal says so and knows its width. */
export interface OutputStream {
  /** False when the reader is slow and `drain` will be emitted; whoever writes without end should wait for it. */
  write(text: string | Uint8Array): unknown;
  /** Writes control sequences of this program to a terminal. Everything else that goes there is escaped. */
  writeOwn?(own: OwnText): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Everything that a command may see of the world, so that a test can give it another one. */
export interface CliEnvironment {
  /** Results. */
  readonly stdout: OutputStream;
  /** Errors, warnings, progress. */
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadStream;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  /** Absolute; paths given by the user are relative to it. */
  readonly cwd: string;
  now(): Date;
  /** Aborted by the first Ctrl-C or SIGTERM; the second one ends the process at once. */
  readonly signal: AbortSignal;
  /** Whether someone sits there: stdin and stderr are terminals, so a question can be asked. */
  readonly isInteractive: boolean;
  /** Opened by the first caller, flushed by the frame before it exits. Off unless `OTEL_*` names an endpoint. */
  telemetry(): Promise<Telemetry>;
}

/**
 * One command of talosctl. Modules are imported only when their command is called, asked for help or completed.
 *
 * An action throws to fail: a `Fault` (or any error) is printed as one line on stderr and the exit code is 1; a
 * `UsageFault` is followed by the usage text; `ReportedFailure` means that everything has been said already. Actions
 * never call `process.exit`.
 */
export interface CommandModule {
  /** Adds arguments, options, subcommands and the action to `command`, which already has its name and summary. */
  define(command: Command, env: CliEnvironment): void;
}
