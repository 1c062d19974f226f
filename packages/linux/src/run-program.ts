import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { Fault } from '@nodewright/fault';

export interface ProgramRun {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Kills the program when it aborts. */
  readonly signal?: AbortSignal;
}

const outputBytes = 1024 * 1024;

/**
 * Runs a program until it exits and returns its standard output.
 *
 * @throws Fault `unavailable` when it cannot be started, `deadline-exceeded`, `cancelled`, or `internal` with
 * the last line of its output
 */
export function runProgram({ argv, environment, timeoutMs, signal }: ProgramRun): Promise<string> {
  const [program = '', ...args] = argv;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = { env: environment, timeout: timeoutMs, signal, maxBuffer: outputBytes };
  execFile(program, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
    if (error === null) return resolve(stdout);
    const name = basename(program);
    if (signal?.aborted) return reject(new Fault('cancelled', `${name} was cancelled`, { cause: error }));
    if (error.killed) {
      const text = `${name} was killed: it took more than ${timeoutMs / 1000}s`;
      return reject(new Fault('deadline-exceeded', text, { cause: error }));
    }
    if (typeof error.code === 'string') {
      return reject(new Fault('unavailable', `cannot start "${program}": ${error.code}`, { cause: error }));
    }
    const output = lastLine(stderr) ?? lastLine(stdout) ?? `exit status ${error.code}`;
    reject(new Fault('internal', `${name}: ${output}`, { cause: error }));
  });
  return promise;
}

function lastLine(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1) || undefined;
}
