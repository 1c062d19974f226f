import { spawn } from 'node:child_process';
import { Fault } from '@nodewright/fault';
import type { DockerLinesInit } from './docker-lines.ts';
import { endGroup } from './run-docker.ts';

/** Of what the command says about its failure, this much is kept. */
const saidBytes = 4096;

/**
 * Yields the output of `docker` as it arrives, so that the caller can limit its size. Ends the command when the loop is left or the
 * signal aborts.
 *
 * @throws Fault `unavailable` with the last line of its error output when the command fails
 */
export async function* dockerBytes(
  args: readonly string[],
  { environment, signal }: DockerLinesInit,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const child = spawn('docker', args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = Promise.withResolvers<number>();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-saidBytes);
  });
  child.on('error', (error) => {
    said = error.message;
    ended.resolve(127);
  });
  child.on('close', (code) => ended.resolve(code ?? 1));
  const stop = () => {
    if (child.exitCode === null && child.signalCode === null) endGroup(child.pid);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* child.stdout as AsyncIterable<Uint8Array>;
    signal.throwIfAborted();
    if ((await ended.promise) === 0) return;
    const line = said.trim().split('\n').at(-1) ?? '';
    throw new Fault('unavailable', `docker ${args[0]} failed: ${line}`);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
