import { buildInfo } from '@nodewright/contract';
import type { Telemetry } from '@nodewright/telemetry';
import type { CliEnvironment } from './command-module.ts';
import { plainError } from './render/plain-error.ts';

/** Exit code of a process that was interrupted, as shells expect it. */
const interruptedExitCode = 130;
/** Longest time that the last spans may hold up the exit, in milliseconds. */
const flushTimeoutMs = 2000;

/** The world of this process. Disposing it sends the last spans away, for two seconds at most. */
export function openProcessEnvironment(): CliEnvironment & AsyncDisposable {
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(interruptedExitCode);
    process.stderr.write('\nstopping; press Ctrl-C again to end at once\n');
    interrupt.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // Whoever read the output has seen enough, as in `talosctl logs apid | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`error: the output cannot be written: ${plainError(error.message)}\n`);
    process.exit(1);
  });

  let telemetry: Promise<Telemetry> | undefined;
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    get stdin() {
      return process.stdin;
    },
    environment: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    signal: interrupt.signal,
    get isInteractive() {
      return Boolean(process.stdin.isTTY && process.stderr.isTTY);
    },
    telemetry() {
      telemetry ??= import('./tracing.ts').then(({ openTelemetry }) =>
        openTelemetry({ serviceName: 'talosctl', serviceVersion: buildInfo.tag, environment: process.env }),
      );
      return telemetry;
    },
    async [Symbol.asyncDispose]() {
      if (telemetry === undefined) return;
      const started = performance.now();
      const opened = await telemetry.catch(() => undefined);
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, flushTimeoutMs).unref());
      await Promise.race([opened?.[Symbol.asyncDispose](), timeout]);
      if (process.env.TALOSCTL_DEBUG && performance.now() - started >= flushTimeoutMs - 100) {
        process.stderr.write('warning: the trace of this command could not be sent in time\n');
      }
    },
  };
}
