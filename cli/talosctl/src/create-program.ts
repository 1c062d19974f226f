import { Command } from 'commander';
import type { CliEnvironment, CommandModule } from './command-module.ts';
import type { CommandEntry } from './command-table.ts';

/** `talosctl config info [options]`: without the aliases, which have a line of their own. */
function commandUsage(command: Command): string {
  const names = [command.name()];
  for (let at = command.parent; at !== null; at = at.parent) names.unshift(at.name());
  const aliases = command.aliases();
  return `${names.join(' ')} ${command.usage()}${aliases.length === 0 ? '' : `\nAliases: ${aliases.join(', ')}`}`;
}

/**
 * A parser that knows one command. Errors and `--help` throw a CommanderError after having written their text;
 * nothing ends the process.
 *
 * @param streams where the parser itself writes to
 */
export function createProgram(
  entry: CommandEntry,
  module: CommandModule,
  env: CliEnvironment,
  streams: Pick<CliEnvironment, 'stdout' | 'stderr'> = env,
): Command {
  const program = new Command('talosctl')
    .exitOverride()
    .helpCommand(false)
    .showHelpAfterError()
    .configureHelp({ commandUsage })
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      getOutHelpWidth: () => streams.stdout.columns || 100,
      getErrHelpWidth: () => streams.stderr.columns || 100,
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
