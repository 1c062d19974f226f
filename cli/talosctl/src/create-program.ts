import { Command } from 'commander';
import type { CliEnvironment, CommandModule } from './command-module.ts';
import type { CommandEntry } from './command-table.ts';

/**
 * A parser that knows one command. Errors and `--help` throw a CommanderError after having written their text;
 * nothing ends the process.
 */
export function createProgram(entry: CommandEntry, module: CommandModule, env: CliEnvironment): Command {
  const program = new Command('talosctl')
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => void env.stdout.write(text),
      writeErr: (text) => void env.stderr.write(text),
      getOutHelpWidth: () => env.stdout.columns ?? 100,
      getErrHelpWidth: () => env.stderr.columns ?? 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  const command = program
    .command(entry.name)
    .description(entry.summary)
    .aliases([...entry.aliases]);
  command.helpCommand(false);
  module.define(command, env);
  return program;
}
