import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { Fault } from '@nodewright/fault';

export interface DockerResult {
  /** Exit code; 127 when the `docker` program does not exist. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface DockerCallOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly workingDirectory?: string;
  readonly input?: string | Uint8Array;
  /** When aborted, ends the command and the programs that it started. */
  readonly signal?: AbortSignal;
  /** Lets the command run to its end, even if the user presses Ctrl-C in the terminal. */
  readonly isWhole?: true;
}

/** Runs `docker` and returns its result even if it fails; `runDocker` throws instead. */
export type TryDocker = (args: readonly string[], options?: DockerCallOptions) => Promise<DockerResult>;

/**
 * Runs `docker` with these arguments. Does not throw when the command fails: the result has its exit code.
 */
export const tryDocker: TryDocker = async (args, options = {}) => {
  const { signal } = options;
  signal?.throwIfAborted();
  const child = spawn('docker', args, {
    env: options.environment ?? process.env,
    cwd: options.workingDirectory,
    // A process group of its own, so that compose, which `docker` starts as a program, is ended as well.
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
 * Runs `docker` and returns its output.
 *
 * @throws Fault `unavailable` with the last line of error output when the command fails; the signal's reason
 * when it was aborted.
 */
export async function runDocker(args: readonly string[], options?: DockerCallOptions): Promise<string> {
  return outcomeOf(args, await tryDocker(args, options), options?.signal);
}

/** Returns the output of a command, or throws a Fault with the last line of its error output. */
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

/** Ends a command that leads a process group, together with the group. Does nothing when they have ended. */
export function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGTERM');
  } catch {
    // The process group has ended already.
  }
}
