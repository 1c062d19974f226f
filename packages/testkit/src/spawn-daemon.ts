import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export type DaemonName = 'machined' | 'apid' | 'trustd' | 'registryd' | 'udevd-bridge';

export interface SpawnDaemonInit {
  readonly name: DaemonName;
  readonly args: readonly string[];
  /** The file to run instead of the daemon's bundle. */
  readonly program?: string;
  /** Added to the environment of the test, without its `OTEL_*` variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Flags of Node.js itself, for example of its permission model. */
  readonly nodeFlags?: readonly string[];
  /** A program and its arguments that executes the daemon, for example after dropping privileges. */
  readonly through?: readonly string[];
}

/** A daemon that runs as a child of the test. Disposing it sends SIGTERM, then SIGKILL after a time-out. */
export interface DaemonProcess extends AsyncDisposable {
  readonly pid: number;
  /** All output so far. */
  stdout(): string;
  stderr(): string;
  /** Stops reading standard output until the returned object is disposed. */
  holdStdout(): Disposable;
  /** The log lines so far. */
  lines(): Record<string, unknown>[];
  /** Waits for a log line with this message. Throws with the output when the daemon ends or on time-out. */
  waitForLine(message: string, timeoutMs?: number): Promise<Record<string, unknown>>;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  signal(name: NodeJS.Signals): void;
}

const checkout = join(import.meta.dirname, '..', '..', '..');
/** Time from SIGTERM to SIGKILL, in milliseconds: longer than any daemon needs to drain. */
const graceMs = 15_000;

/** The bundle of a daemon: what users run. Tests take a third to a half of the processor time that they take with its source. */
function programOf(name: DaemonName): string {
  const bundle = join(checkout, '_out', 'dist', name, `${name}.cjs`);
  if (!existsSync(bundle)) throw new Error(`${bundle} is not there: run make build`);
  return bundle;
}

function parseLines(text: string): Record<string, unknown>[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      // The last line may be incomplete, and Node prints warnings of its own.
      return [];
    }
  });
}

async function endProcess(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exited;
  clearTimeout(timer);
}

/**
 * Starts a daemon. When this returns, the daemon runs but is not ready: wait for a log line or for its
 * socket.
 */
export async function spawnDaemon({
  name,
  args,
  env = {},
  cwd,
  nodeFlags = [],
  program,
  through = [],
}: SpawnDaemonInit): Promise<DaemonProcess> {
  const inherited = Object.entries(process.env).filter(
    ([key]) => !key.startsWith('OTEL_') && !key.startsWith('NODE_'),
  );
  const command = [...through, process.execPath, ...nodeFlags, program ?? programOf(name), ...args];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const news = new EventTarget();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
      news.dispatchEvent(new Event('output'));
    });
  }
  const { promise: exited, resolve } = Promise.withResolvers<Awaited<DaemonProcess['exited']>>();
  child.once('close', (code, signal) => {
    resolve({ code, signal });
    news.dispatchEvent(new Event('output'));
  });
  await new Promise<void>((started, failed) => child.once('spawn', started).once('error', failed));

  return {
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    holdStdout() {
      child.stdout.pause();
      return { [Symbol.dispose]: () => child.stdout.resume() };
    },
    lines: () => parseLines(output.stdout),
    waitForLine(message, timeoutMs = 60_000) {
      const { promise, resolve: found, reject } = Promise.withResolvers<Record<string, unknown>>();
      const fail = (why: string) =>
        reject(new Error(`${name} ${why} before "${message}":\n${output.stdout}${output.stderr}`));
      const timer = setTimeout(() => fail(`ran for ${timeoutMs} ms`), timeoutMs);
      const look = () => {
        const line = parseLines(output.stdout).find(({ msg }) => msg === message);
        if (line !== undefined) found(line);
        else if (child.exitCode !== null || child.signalCode !== null) fail('ended');
      };
      news.addEventListener('output', look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        news.removeEventListener('output', look);
      });
    },
    exited,
    signal: (signalName) => {
      child.kill(signalName);
    },
    [Symbol.asyncDispose]: () => endProcess(child, exited),
  };
}
