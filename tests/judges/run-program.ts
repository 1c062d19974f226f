import { spawn } from 'node:child_process';

export interface ProgramResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunProgramInit {
  readonly timeoutMs?: number;
  readonly input?: string;
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const defaultTimeoutMs = 300_000;
/** Of each stream; a judge that prints more is ended. */
const largestOutputBytes = 64 << 20;

/**
 * Runs a program to its end, with messages in English.
 *
 * @throws Error when it cannot be started, is ended by a signal, takes too long, or prints more than 64 MiB
 */
export async function runProgram(
  path: string,
  words: readonly string[],
  { timeoutMs = defaultTimeoutMs, input = '', cwd, environment = {} }: RunProgramInit = {},
): Promise<ProgramResult> {
  const env = { ...process.env, LC_ALL: 'C.UTF-8', ...environment };
  const child = spawn(path, words, {
    ...{ env, timeout: timeoutMs, killSignal: 'SIGKILL' },
    ...(cwd !== undefined && { cwd }),
  });
  const collect = (stream: NodeJS.ReadableStream) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > largestOutputBytes) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    return () => Buffer.concat(chunks).toString();
  };
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  // A program that does not read its input closes it early.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('close', (code, signal) => {
    if (code === null)
      reject(new Error(`${path} ${words.join(' ')} was ended by ${signal}: ${stderr().trim()}`));
    else resolve(code);
  });
  const exitCode = await promise;
  return { exitCode, stdout: stdout(), stderr: stderr() };
}
