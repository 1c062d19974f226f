import { spawn } from 'node:child_process';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';

/**
 * The user's editor, which may be a command with options: `TALOS_EDITOR`, or else `EDITOR`, or else vi.
 * Source: Talos v1.14: edit.
 *
 * @throws Fault `failed-precondition` when neither variable is set and there is no terminal for vi
 */
export function chooseEditor({ environment, isInteractive }: CliEnvironment): string {
  const named = environment.TALOS_EDITOR || environment.EDITOR;
  if (named) return named;
  if (isInteractive) return 'vi';
  throw new Fault(
    'failed-precondition',
    'no editor is set, and vi needs a terminal: set TALOS_EDITOR or EDITOR to a command',
  );
}

/**
 * Runs the editor on a file, on the terminal of this process.
 *
 * @throws Fault `aborted` with the exit code or signal of an editor that failed
 */
export async function runEditor(editor: string, path: string): Promise<void> {
  // Use a shell, as git does, because the variable may hold options and quotes. The path is passed as an argument.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'edit', path], { stdio: 'inherit' });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...how) => resolve(how));
  });
  if (code === 0) return;
  const how = signal === null ? `failed with exit code ${code}` : `was killed by ${signal}`;
  throw new Fault('aborted', `editor ${JSON.stringify(editor)} ${how}`);
}
