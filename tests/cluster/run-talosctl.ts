import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

export const checkout = join(import.meta.dirname, '..', '..');
export const talosctlBundle = join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs');

export interface TalosctlResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TalosctlInit {
  /** TALOS_HOME: the folder of the talosconfig and the clusters. */
  readonly home: string;
  /** Path of a build other than the checkout's. */
  readonly bundle?: string;
  /** Path of a Node.js other than the test's. */
  readonly nodeBinary?: string;
  readonly user?: { readonly uid: number; readonly gid: number };
  /**
   * Starts the program as leader of a process group, as a shell does, so that `interruptTalosctl` reaches all
   * of it.
   */
  readonly ownGroup?: true;
  /** Added to the environment; the daemons of a cluster that it creates inherit it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** It is killed after this time, which it reports on standard error. Default: no limit. */
  readonly timeoutMs?: number;
}

/**
 * Starts the built command line as a user would; of the test's environment it gets only PATH. Clusters that
 * it creates have no etcd, which takes time to form, unless `environment` asks for one.
 */
export function startTalosctl(words: readonly string[], init: TalosctlInit) {
  const own = { PATH: process.env.PATH, NODEWRIGHT_ETCD: 'none' };
  return spawn(init.nodeBinary ?? process.execPath, [init.bundle ?? talosctlBundle, ...words], {
    cwd: '/',
    env: { ...own, HOME: init.home, TALOS_HOME: init.home, ...init.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: init.ownGroup === true,
    ...init.user,
  });
}

/** Sends what Ctrl-C sends to a command line that was started with `ownGroup`. */
export function interruptTalosctl({ pid }: Pick<ChildProcess, 'pid'>): void {
  if (pid !== undefined) process.kill(-pid, 'SIGINT');
}

/** Runs the command line to its end. */
export function runTalosctl(words: readonly string[], init: TalosctlInit): Promise<TalosctlResult> {
  const child = startTalosctl(words, init);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const { timeoutMs } = init;
  const kill = () => {
    output.stderr += `\nkilled: talosctl ${words[0]} was not done after ${timeoutMs} ms\n`;
    child.kill('SIGKILL');
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(kill, timeoutMs);
  return new Promise<TalosctlResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, ...output }));
  }).finally(() => clearTimeout(timer));
}
