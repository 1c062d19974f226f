import { faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from './command-module.ts';
import { type CommandEntry, commandTable, findCommand } from './command-table.ts';
import { nearestName } from './nearest-name.ts';
import { splitCommandLine } from './split-command-line.ts';
import { topLevelHelp } from './top-level-help.ts';
import { explainMissingCommand, missingCommandNames } from './unbuilt-commands.ts';

/**
 * Runs one command line and gives its exit code: 0, or 1 for any failure. Loads only the command that is called.
 *
 * @param words the arguments after the name of the program
 */
export async function runCli(words: readonly string[], env: CliEnvironment): Promise<number> {
  const { command, rest } = splitCommandLine(words, (word) => findCommand(word) !== undefined);
  if (command === undefined) return runWithoutCommand(rest, env);
  if (command === 'help') return runHelp(rest, env);
  if (command === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    return complete(words.slice(words.indexOf(command) + 1), env);
  }
  const entry = findCommand(command);
  return entry === undefined ? refuseCommand(command, env) : runEntry(entry, rest, env);
}

function runWithoutCommand(words: readonly string[], env: CliEnvironment): number {
  const isAskedFor = words.every((word) => word === '-h' || word === '--help');
  if (isAskedFor) {
    env.stdout.write(topLevelHelp());
    return 0;
  }
  const [first] = words as [string];
  const what = first.startsWith('-')
    ? `flag ${first.split('=')[0]} needs a command`
    : `no command in "${first}"`;
  env.stderr.write(`error: ${what}\n\n${topLevelHelp()}`);
  return 1;
}

async function runHelp(words: readonly string[], env: CliEnvironment): Promise<number> {
  const [command, ...rest] = words.filter((word) => !word.startsWith('-'));
  if (command === undefined) return runWithoutCommand([], env);
  const entry = findCommand(command);
  return entry === undefined ? refuseCommand(command, env) : runEntry(entry, [...rest, '--help'], env);
}

function refuseCommand(command: string, env: CliEnvironment): number {
  const known = explainMissingCommand(command);
  if (known !== undefined) {
    env.stderr.write(`error: ${known}\n`);
    return 1;
  }
  const names = [...commandTable.flatMap(({ name, aliases }) => [name, ...aliases]), ...missingCommandNames];
  const nearest = nearestName(command, names);
  const hint = nearest === undefined ? '' : `\n\nDid you mean this?\n  ${nearest}`;
  env.stderr.write(
    `error: unknown command "${command}" for "talosctl"${hint}\n\nRun 'talosctl --help' for usage.\n`,
  );
  return 1;
}

async function runEntry(entry: CommandEntry, words: readonly string[], env: CliEnvironment): Promise<number> {
  const [{ runCommand }, module] = await Promise.all([import('./run-command.ts'), entry.load()]).catch(
    (error) => {
      throw faultFrom(error);
    },
  );
  return runCommand(entry, module, words, env);
}
