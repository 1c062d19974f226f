import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadJob, LoadOutcome, LoadReport } from './load-job.ts';

/**
 * The load client collects all its garbage before each measurement of calls, and its heap may then grow to thirty times what is left: 340 MB.
 * Otherwise it stops several times per second for up to 40 ms, in which replies wait that have arrived, and its helper threads take the
 * processors from the programs that are measured.
 */
const collectionFlags = ['--expose-gc', '--heap-growing-percent=3000'];

/** The load client's process. */
export interface LoadClient extends AsyncDisposable {
  readonly pid: number;
  /** Runs one job; the caller awaits it before the next. Rejects with the failure. */
  run<J extends LoadJob>(job: J): Promise<LoadOutcome<J>>;
}

export function openLoadClient(): LoadClient {
  const child = fork(join(import.meta.dirname, 'load-process.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: collectionFlags,
  });
  const exited = once(child, 'exit');
  const lost = exited.then(([code, signal]): never => {
    throw new Error(`the load client ended (${signal ?? code})`);
  });
  // The process is gone in the end, at the latest when this is disposed.
  lost.catch(() => {});
  return {
    pid: child.pid ?? 0,
    async run(job) {
      const reply = once(child, 'message') as Promise<[LoadReport]>;
      child.send(job);
      const [report] = await Promise.race([reply, lost]);
      if ('failure' in report) throw new Error(`${describe(job)}: ${report.failure}`);
      return report.outcome as LoadOutcome<typeof job>;
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

function describe({ kind, target }: LoadJob): string {
  return `${kind} at ${target.kind === 'unix' ? target.path : `${target.host}:${target.port}`}`;
}
