import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Where programs find what they import. */
const cluster = join(import.meta.dirname, '..', 'cluster');

export interface LockingProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** The first text that it writes. */
  readonly said: Promise<string>;
  readonly ended: Promise<unknown>;
  /** Ends it without a chance to clear up. */
  kill(): Promise<void>;
}

/**
 * Runs a program that takes locks and writes what became of it. It can use `lockCluster`, `holdCluster` and `holdSocketLock`, lives
 * until it is disposed of, and gets the rights of `user` before it does anything. `wrapper` begins its command line.
 */
export function startLockingProcess(
  program: string,
  user?: number,
  wrapper: readonly string[] = [],
): LockingProcess {
  const text = `
    const { lockCluster } = await import(${JSON.stringify(join(cluster, 'cluster-lock.ts'))});
    const { holdCluster } = await import(${JSON.stringify(join(cluster, 'start-cluster.ts'))});
    const { holdSocketLock } = await import(${JSON.stringify(join(cluster, 'socket-lock.ts'))});
    ${user === undefined ? '' : `process.setegid(${user}); process.seteuid(${user});`}
    const say = (text) => process.stdout.write(text);
    process.stdin.resume();
    try { ${program} } catch (error) { say(error.message); }`;
  const [command = '', ...words] = [...wrapper, process.execPath, '--input-type=module', '-e', text];
  const child = spawn(command, words, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const said = once(child.stdout, 'data').then(([data]) => String(data));
  said.catch(() => {});
  return { child, said, ended, kill, [Symbol.asyncDispose]: kill };
}
