import { spawn } from 'node:child_process';
import { upstreamClientPath } from '../../tools/upstream-client/ensure-client.ts';
import { checkout } from '../cluster/run-talosctl.ts';

export const clientProgram = upstreamClientPath(checkout);

export interface ClientResult {
  /** null: a signal killed it, for example ours when it did not exit in time. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunClientInit {
  readonly talosconfig: string;
  /** Its working directory and home. */
  readonly folder: string;
  /** It is interrupted after that, as Ctrl-C does, and killed when that does not help. */
  readonly timeoutMs: number;
  /** Interrupt it as soon as it has printed this. */
  readonly until?: RegExp | undefined;
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

const killDelayMs = 5_000;

/** Runs the released client to its end; of the test's environment it gets only PATH. */
export function runClient(words: readonly string[], init: RunClientInit): Promise<ClientResult> {
  const { talosconfig, folder, until, timeoutMs, environment } = init;
  const child = spawn(clientProgram, [...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TALOSCONFIG: talosconfig, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
      if (until?.test(output.stdout) && child.exitCode === null) child.kill('SIGINT');
    });
  }
  const interrupt = setTimeout(() => child.kill('SIGINT'), timeoutMs);
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs + killDelayMs);
  const { promise, resolve, reject } = Promise.withResolvers<ClientResult>();
  child.once('error', reject);
  child.once('close', (exitCode) => resolve({ exitCode, ...output }));
  return promise.finally(() => {
    clearTimeout(interrupt);
    clearTimeout(kill);
  });
}
