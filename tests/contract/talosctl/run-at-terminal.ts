// Runs a command in this process, as if a user sat at a terminal and reacted to its questions.
import { PassThrough } from 'node:stream';
import { noTelemetry } from '@nodewright/telemetry';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import type { TalosctlResult } from './run-talosctl.ts';

/** The key that interrupts a program. */
export const controlC = '\u0003';
/** The key that ends the input. */
export const controlD = '\u0004';

export interface TerminalOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What the user types at each question, or one of the keys above. */
  readonly reactions: Iterable<string> | AsyncIterable<string>;
  /** False for a script, which has no terminal. */
  readonly isInteractive?: boolean;
  /** Aborted by the test when the user presses Ctrl-C at another time than at a question. */
  readonly interrupt?: AbortController;
}

/** Runs a command line. The user types the next reaction as soon as a question is on the screen. */
export async function runAtTerminal(
  words: readonly string[],
  { environment, cwd, reactions, isInteractive = true, interrupt = new AbortController() }: TerminalOptions,
): Promise<TalosctlResult> {
  const stdin = new PassThrough();
  const output = { stdout: '', stderr: '' };
  const left = reactionsOf(reactions);
  const react = async () => {
    const { value: reaction } = await left.next();
    if (reaction === controlC) interrupt.abort();
    else if (reaction === controlD) stdin.end();
    else if (reaction !== undefined) stdin.write(`${reaction}\n`);
  };
  const add = (name: 'stdout' | 'stderr') => ({
    write(text: string | Uint8Array) {
      output[name] += String(text);
      if (name === 'stderr' && String(text).endsWith(': ')) void react();
    },
  });
  const exitCode = await runCli(words, {
    stdout: add('stdout'),
    stderr: add('stderr'),
    stdin: stdin as unknown as NodeJS.ReadStream,
    ...{ environment, cwd, now: () => new Date(), signal: interrupt.signal, isInteractive },
    telemetry: async () => noTelemetry,
  });
  return { ...output, exitCode };
}

async function* reactionsOf(reactions: TerminalOptions['reactions']): AsyncGenerator<string, undefined> {
  yield* reactions;
}
