import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { endGroup } from './run-docker.ts';

export interface DockerLinesInit {
  readonly environment: NodeJS.ProcessEnv;
  /** When aborted, ends the command and the programs that it started. */
  readonly signal: AbortSignal;
}

/**
 * Yields the output of `docker` line by line, until the command ends, the signal is aborted or the loop is
 * left. A failure and a missing `docker` program look like a command without output.
 */
export async function* dockerLines(
  args: readonly string[],
  { environment, signal }: DockerLinesInit,
): AsyncGenerator<string> {
  const child = spawn('docker', args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
    // A process group of its own, so that compose, which `docker` starts as a program, is ended as well.
    detached: true,
  });
  const stop = () => {
    // A process that was ended by a signal has no exit code.
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
