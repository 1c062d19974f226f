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
  readonly input?: string;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** Runs a command of the engine, whatever becomes of it: `tryDocker` is for questions, `runDocker` for orders. */
export type TryDocker = (args: readonly string[], options?: DockerCallOptions) => Promise<DockerResult>;

/** Runs `docker` with these arguments. Never throws for what the command says; its exit code is part of the answer. */
export const tryDocker: TryDocker = async (args, options = {}) => {
  const child = spawn('docker', args, {
    env: options.environment ?? process.env,
    cwd: options.workingDirectory,
    signal: options.signal,
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
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended.promise]);
  return { code, stdout, stderr: stderr === '' ? missing : stderr };
};

/**
 * Runs `docker` and yields what it printed.
 *
 * @throws Fault `unavailable` with the command's last words when it fails.
 */
export async function runDocker(args: readonly string[], options?: DockerCallOptions): Promise<string> {
  const { code, stdout, stderr } = await tryDocker(args, options);
  if (code === 0) return stdout;
  const lastLine = stderr.trim().split('\n').at(-1) ?? '';
  throw new Fault('unavailable', `docker ${args.slice(0, 2).join(' ')} failed: ${lastLine}`);
}
