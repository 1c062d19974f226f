import { buildInfo } from '@nodewright/contract';
import type { Telemetry } from '@nodewright/telemetry';
import type { CliEnvironment } from '../context/command-module.ts';
import { interruptedExitCode } from '../context/failure.ts';
import { plainError } from '../render/plain-error.ts';

/** The maximum time that sending the last spans may delay the exit, in milliseconds. */
const flushTimeoutMs = 2000;
/** How long a command may take to stop after its terminal was closed, in milliseconds: nobody can press Ctrl-C again. */
const hangUpTimeoutMs = 10_000;

/** The environment of this process. Disposing it sends the last spans, for at most two seconds. */
export function openProcessEnvironment(): CliEnvironment & AsyncDisposable {
  const interrupt = new AbortController();
  const onSignal = () => {
    if (interrupt.signal.aborted) process.exit(interruptedExitCode);
    process.stderr.write('\nstopping; press Ctrl-C again to exit at once\n');
    interrupt.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // The kernel and the shell may each report that the terminal was closed, so a second report is no wish to exit at once.
  let isHungUp = false;
  process.on('SIGHUP', () => {
    if (isHungUp) return;
    isHungUp = true;
    // What is written to a closed terminal fails, which must not keep a command from removing its temporary files.
    process.stderr.on('error', () => {});
    setTimeout(() => process.exit(interruptedExitCode), hangUpTimeoutMs).unref();
    interrupt.abort();
  });
  // The reader has closed the pipe, as in `talosctl logs apid | head`: that is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`error: the output cannot be written: ${plainError(error.message)}\n`);
    process.exit(1);
  });

  let telemetry: Promise<Telemetry> | undefined;
  let refused: string | undefined;
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
        openTelemetry({
          ...{ serviceName: 'talosctl', serviceVersion: buildInfo.tag, environment: process.env },
          onRefused: (endpoint) => {
            refused = endpoint;
          },
        }),
      );
      return telemetry;
    },
    async [Symbol.asyncDispose]() {
      if (telemetry === undefined) return;
      const started = performance.now();
      const opened = await telemetry.catch(() => undefined);
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, flushTimeoutMs).unref());
      await Promise.race([opened?.[Symbol.asyncDispose](), timeout]);
      if (refused !== undefined) {
        const { warnOfRefusedCollector } = await import('../context/refused-collector.ts');
        warnOfRefusedCollector(refused, this);
      }
      if (process.env.TALOSCTL_DEBUG && performance.now() - started >= flushTimeoutMs - 100) {
        process.stderr.write('warning: the trace of this command could not be sent in time\n');
      }
    },
  };
}
