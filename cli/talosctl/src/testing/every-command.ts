import type { Command } from 'commander';
import type { CliEnvironment, OutputStream } from '../context/command-module.ts';
import { commandPath } from '../context/command-path.ts';
import { commandTable } from '../program/command-table.ts';
import { createProgram } from '../program/create-program.ts';

/** A command of the command table, or one of its subcommands, with its parser. */
export interface BuiltCommand {
  /** `config new`. */
  readonly path: string;
  readonly program: Command;
  readonly command: Command;
}

/**
 * All commands, for tests and documents that cover each of them.
 *
 * @param columns width of the terminal
 * @param entries which commands of the table; default: all
 */
export async function everyCommand(columns?: number, entries = commandTable): Promise<BuiltCommand[]> {
  const silent: OutputStream = { write: () => true, columns };
  const env = { stdout: silent, stderr: silent, environment: {} } as unknown as CliEnvironment;
  const found: BuiltCommand[] = [];
  for (const entry of entries) {
    const program = createProgram(entry, await entry.load(), env);
    const add = (command: Command) => {
      found.push({ path: commandPath(command), program, command });
      command.commands.forEach(add);
    };
    program.commands.forEach(add);
  }
  return found;
}
