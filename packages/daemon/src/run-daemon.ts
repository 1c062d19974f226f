import { buildInfo } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type ByteDestination,
  createLogger,
  type Logger,
  type LogLevel,
  logLevels,
  openTelemetry,
  type Telemetry,
} from '@nodewright/telemetry';
import type { DaemonDefinition, StopSignal } from './daemon-definition.ts';
import { openStandardOutput } from './line-output.ts';
import { openLogFile } from './log-file.ts';
import type { OptionTable } from './option.ts';
import { parseOptions } from './parse-options.ts';
import { openReleaseMemory } from './release-memory.ts';
import { collectNewObjectsAloneAfterStart } from './trim-heap.ts';
import { trimWhenCalm } from './trim-when-calm.ts';
import { usageText } from './usage.ts';

/** Exit codes of every daemon. */
export const exitCodes = { stopped: 0, crashed: 1, misused: 2 } as const;

const defaultDrainTimeoutMs = 10_000;
/** How long the last spans may take to leave, in milliseconds: longer than the two seconds that telemetry allows itself. */
const telemetryTimeoutMs = 2500;

function writeLine(stream: NodeJS.WriteStream, text: string): void {
  stream.write(text.endsWith('\n') ? text : `${text}\n`);
}

interface LineSink {
  write(line: string): void;
  writeBytes?(bytes: Uint8Array, length: number): void;
}

function teeDestination(sinks: readonly LineSink[]): ByteDestination {
  return {
    write(line) {
      for (const sink of sinks) sink.write(line);
    },
    writeBytes(bytes, length) {
      for (const sink of sinks) {
        if (sink.writeBytes !== undefined) sink.writeBytes(bytes, length);
        else sink.write(Buffer.from(bytes.buffer, bytes.byteOffset, length).toString());
      }
    },
  };
}

/** The message is the last field of each line. */
function withoutMessages(sink: LineSink, messages: readonly string[]): LineSink {
  if (messages.length === 0) return sink;
  const ends = messages.map((message) => `"msg":${JSON.stringify(message)}}\n`);
  return {
    write(line) {
      if (!ends.some((end) => line.endsWith(end))) sink.write(line);
    },
  };
}

/** The level in `LOG_LEVEL`; `undefined` when it names none. */
function logLevelOf(text: string | undefined): LogLevel | undefined {
  if (text === undefined || text === '') return undefined;
  const known = logLevels.find((level) => level === text);
  if (known !== undefined) return known;
  throw new Fault('invalid-argument', `LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${text}"`);
}

/** Opens the file in `LOG_FILE`. When it cannot be opened, the daemon reports this and serves anyway. */
function logFileSinks(name: string, path: string | undefined): LineSink[] {
  if (path === undefined || path === '') return [];
  try {
    return [openLogFile(path)];
  } catch (error) {
    writeLine(process.stderr, `${name}: LOG_FILE cannot be written: ${faultFrom(error).message}`);
    return [];
  }
}

/** From here on an uncaught error ends the process, after one log line with the error. */
function crashOnUncaught(log: Logger): (error: unknown) => never {
  const crash = (error: unknown): never => {
    const { kind, message } = faultFrom(error);
    log.fatal(
      { kind, error: message, stack: error instanceof Error ? error.stack : undefined },
      'daemon crashed',
    );
    process.exit(exitCodes.crashed);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  return crash;
}

interface Stop {
  readonly reason: string;
  /** Undefined when the daemon itself stops. */
  readonly signal?: StopSignal;
}

function stopSignal() {
  const controller = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<Stop>();
  const stop = (request: Stop) => {
    controller.abort();
    resolve(request);
  };
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    process.on(name, () => stop({ reason: name, signal: name }));
  let wanted: number | undefined;
  const end = (reason: string, exitCode: number) => {
    wanted ??= exitCode;
    stop({ reason });
  };
  /** What the daemon itself has asked for, until now. */
  const wantedExitCode = () => wanted;
  return { signal: controller.signal, stopped, end, wantedExitCode };
}

/** Resolves to `true` when `work` ends within `timeoutMs`. */
async function endsWithin(timeoutMs: number, work: Promise<void>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), timeoutMs);
  try {
    return await Promise.race([work.then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Closes what the daemon has opened, then its telemetry: a collector that hangs is no fault of the daemon, and takes none of its time.
 * Resolves to `true` when the scope closed in time. If not, no time is left for spans: its supervisor will kill it soon.
 */
async function closeAll(
  scope: AsyncDisposableStack,
  telemetry: Telemetry,
  drainTimeoutMs: number,
): Promise<boolean> {
  const drained = await endsWithin(drainTimeoutMs, scope.disposeAsync());
  if (drained) await endsWithin(telemetryTimeoutMs, Promise.resolve(telemetry[Symbol.asyncDispose]()));
  return drained;
}

/**
 * Runs a daemon until SIGTERM or SIGINT, then closes its scope and exits. The exit code is 0 when everything
 * closed within the drain timeout, 1 when not or after a crash, and 2 for invalid flags or environment (with
 * one line on standard error). Every daemon reads `LOG_LEVEL` and `LOG_FILE` from its environment; the latter
 * is a file that also gets the log lines.
 */
export async function runDaemon<T extends OptionTable>(definition: DaemonDefinition<T>): Promise<void> {
  const { name, summary } = definition;
  const args = process.argv.slice(2);
  if (args.includes('--help')) return writeLine(process.stdout, usageText(name, summary, definition.options));
  if (args.includes('--version'))
    return writeLine(process.stdout, `${name} ${buildInfo.tag} (${buildInfo.sha})`);

  let options: ReturnType<typeof parseOptions<T>>;
  let level: LogLevel | undefined;
  try {
    level = logLevelOf(process.env.LOG_LEVEL);
    options = parseOptions(definition.options, args, process.env);
  } catch (error) {
    writeLine(process.stderr, `${name}: ${faultFrom(error).message} (see ${name} --help)`);
    process.exit(exitCodes.misused);
  }

  const version = buildInfo.tag;
  const environment = process.env;
  const telemetry = await openTelemetry({ serviceName: name, serviceVersion: version, environment });
  const log = createLogger({
    name,
    telemetry,
    level,
    destination: teeDestination([
      withoutMessages(openStandardOutput(name), definition.hiddenMessages?.(options) ?? []),
      ...[definition.logSink?.(options)].filter((sink) => sink !== undefined),
      ...logFileSinks(name, environment.LOG_FILE),
    ]),
  });
  const crash = crashOnUncaught(log);
  const { drainTimeoutMs: wantedTimeout = defaultDrainTimeoutMs } = definition;
  const drainTimeoutMs = typeof wantedTimeout === 'number' ? wantedTimeout : wantedTimeout(options);

  const { signal, stopped, end, wantedExitCode } = stopSignal();
  const scope = new AsyncDisposableStack();
  // The parent process may have an open trace; then the spans of the start belong to it.
  const span = telemetry.startSpan(`start ${name}`, { parent: environment.TRACEPARENT });
  const context = { name, version, options, signal, end, log, telemetry, environment };
  const started = telemetry
    .withSpanUntilSettled(span, () => definition.start(context, scope))
    .then(() => {
      span.end();
      const startMs = Math.round(process.uptime() * 1000);
      log.info({ version, sha: buildInfo.sha, pid: process.pid, startMs }, 'daemon serves');
      collectNewObjectsAloneAfterStart();
      trimWhenCalm(startMs);
    });
  // While the start waits for others: this takes 3 ms. Nothing that they send has been read yet.
  openReleaseMemory();
  // A daemon may be stopped while its start function still waits.
  started.catch(async (error: unknown) => {
    span.fail(error);
    span.end();
    if (signal.aborted) return;
    await closeAll(scope, telemetry, drainTimeoutMs).catch(() => {});
    crash(error);
  });

  const { reason, signal: received } = await stopped;
  log.info({ reason }, 'daemon stops');
  const drained = await closeAll(scope, telemetry, drainTimeoutMs);
  if (!drained) log.error({ drainTimeoutMs }, 'daemon did not close in time');
  process.exit(
    wantedExitCode() ??
      (received && definition.signalledExitCode?.(options, received, drained)) ??
      (drained ? exitCodes.stopped : exitCodes.crashed),
  );
}
