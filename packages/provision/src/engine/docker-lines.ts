import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { endGroup } from './run-docker.ts';

export interface DockerLinesInit {
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the command, and what it started. */
  readonly signal: AbortSignal;
}

/**
 * What `docker` prints, line by line, until it ends, the signal is aborted or the reader has enough. A command that
 * fails, or a client that is not there, ends like one that has nothing to print.
 */
export async function* dockerLines(
  args: readonly string[],
  { environment, signal }: DockerLinesInit,
): AsyncGenerator<string> {
  const child = spawn('docker', args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own: compose is a program that `docker` starts, and it has to end with it.
    detached: true,
  });
  const stop = () => {
    // One that a signal has ended has no exit code.
    if (child.exitCode === null && child.signalCode === null) endGroup(child.pid);
  };
  child.on('error', () => {});
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    yield* createInterface({ input: child.stdout });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
