import { spawn } from 'node:child_process';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../command-module.ts';

/**
 * The user's editor, which may be a whole command line: `TALOS_EDITOR`, else `EDITOR`, else vi. Source: Talos v1.14:
 * edit.
 *
 * @throws Fault `failed-precondition` when none is named and nobody sits there to use vi
 */
export function chooseEditor({ environment, isInteractive }: CliEnvironment): string {
  const named = environment.TALOS_EDITOR || environment.EDITOR;
  if (named) return named;
  if (isInteractive) return 'vi';
  throw new Fault(
    'failed-precondition',
    'there is no editor: set TALOS_EDITOR or EDITOR to a command (this is no terminal, where vi would do)',
  );
}

/**
 * Lets the user edit a file in place, on this process's own terminal.
 *
 * @throws Fault `aborted` that says how the editor ended, when that was not well
 */
export async function runEditor(editor: string, path: string): Promise<void> {
  // By a shell, as git does: the variable may hold options and quotes. The path is an argument, never text of it.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'edit', path], { stdio: 'inherit' });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...how) => resolve(how));
  });
  if (code === 0) return;
  const how = signal === null ? `failed with exit code ${code}` : `was ended by ${signal}`;
  throw new Fault('aborted', `editor ${JSON.stringify(editor)} ${how}`);
}
