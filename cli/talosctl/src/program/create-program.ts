import type { Command } from 'commander';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { helpWidth } from '../help/help-width.ts';
import { describeSelection } from '../node-selection/describe-selection.ts';
import { UsageCommand } from '../usage/usage-command.ts';
import type { CommandEntry } from './command-table.ts';

/**
 * Creates a parser for one command. Invalid usage throws a UsageFault. `--help` prints its text and throws a
 * CommanderError. The parser never exits the process.
 *
 * @param streams the streams that the parser itself writes to
 */
export function createProgram(
  entry: CommandEntry,
  module: CommandModule,
  env: CliEnvironment,
  streams: Pick<CliEnvironment, 'stdout' | 'stderr'> = env,
): Command {
  const program = new UsageCommand('talosctl')
    .exitOverride()
    .helpCommand(false)
    .helpOption('-h, --help', 'show this help')
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      getOutHelpWidth: () => helpWidth(streams.stdout),
      getErrHelpWidth: () => helpWidth(streams.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  const command = program
    .command(entry.name)
    .description(entry.summary)
    .aliases([...entry.aliases]);
  command.helpCommand(false);
  module.define(command, env);
  describeSelection(command);
  return program;
}
