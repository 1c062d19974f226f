import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { Fault } from '@nodewright/fault';

export interface DockerResult {
  /** Exit code; 127 when there is no such program. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DockerCallOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly workingDirectory?: string;
  readonly input?: string | Uint8Array;
  /** Ends the command, and what it started. */
  readonly signal?: AbortSignal;
  /** The command runs to its end, also when a terminal interrupts everything in its foreground. */
  readonly isWhole?: true;
}

/** Runs a command of the engine, whatever becomes of it: `tryDocker` is for questions, `runDocker` for orders. */
export type TryDocker = (args: readonly string[], options?: DockerCallOptions) => Promise<DockerResult>;

/** Runs `docker` with these arguments. Never throws for what the command says; its exit code is part of the answer. */
export const tryDocker: TryDocker = async (args, options = {}) => {
  const { signal } = options;
  signal?.throwIfAborted();
  const child = spawn('docker', args, {
    env: options.environment ?? process.env,
    cwd: options.workingDirectory,
    // A group of its own: compose is a program that `docker` starts, and it has to end with it.
    detached: signal !== undefined || options.isWhole === true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = Promise.withResolvers<number>();
  let missing = '';
  child.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') missing = 'docker: command not found';
    ended.resolve(127);
  });
  child.on('close', (code) => ended.resolve(code ?? 1));
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const onAbort = () => endGroup(child.pid);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended.promise]);
    return { code, stdout, stderr: stderr === '' ? missing : stderr };
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
};

/**
 * Runs `docker` and yields what it printed.
 *
 * @throws Fault `unavailable` with the command's last words when it fails; the signal's reason when that ended it.
 */
export async function runDocker(args: readonly string[], options?: DockerCallOptions): Promise<string> {
  return outcomeOf(args, await tryDocker(args, options), options?.signal);
}

/** What a command printed, or a Fault with its last words. */
export function outcomeOf(
  args: readonly string[],
  { code, stdout, stderr }: DockerResult,
  signal?: AbortSignal,
): string {
  signal?.throwIfAborted();
  if (code === 0) return stdout;
  const lastLine = stderr.trim().split('\n').at(-1) ?? '';
  const words = args.filter((word, index) => !word.startsWith('-') && !args[index - 1]?.startsWith('--'));
  throw new Fault('unavailable', `docker ${words.slice(0, 2).join(' ')} failed: ${lastLine}`);
}

/** Ends a command that leads a process group, and what it started; nothing when they have ended already. */
export function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // It is gone already.
  }
}
