import { buildInfo } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { guardEnvironment } from '../context/terminal-output.ts';
import { helpWidth } from '../help/help-width.ts';
import { usageLine } from '../usage/usage-line.ts';
import { didYouMean, nearestName } from '../values/nearest-name.ts';
import { splitCommandLine } from '../values/split-command-line.ts';
import { type CommandEntry, commandTable, findCommand } from './command-table.ts';
import { topLevelHelp } from './top-level-help.ts';
import { explainMissingCommand, missingCommandNames } from './unbuilt-commands.ts';

/**
 * Runs one command line and resolves to its exit code: 0, 130 after Ctrl-C at a question or before anything was sent, 3 when a
 * command that compares has found a difference, or 1 for any other failure. It loads only the called command.
 *
 * @param words the arguments after the name of the program
 */
export async function runCli(words: readonly string[], env: CliEnvironment): Promise<number> {
  const guarded = guardEnvironment(env);
  try {
    return await runWords(words, guarded);
  } finally {
    guarded.flush();
  }
}

async function runWords(words: readonly string[], env: CliEnvironment): Promise<number> {
  const { command, rest } = splitCommandLine(words, (word) => findCommand(word) !== undefined);
  if (command === undefined) return runWithoutCommand(rest, env);
  if (command === 'help') return runHelp(rest, env);
  if (command === '__complete' || command === '__complete_described') {
    const { complete } = await import('./complete.ts');
    const described = command === '__complete_described';
    return complete(words.slice(words.indexOf(command) + 1), env, { described });
  }
  const entry = findCommand(command);
  return entry === undefined ? refuseCommand(command, env) : runEntry(entry, rest, env);
}

function runWithoutCommand(words: readonly string[], env: CliEnvironment): number {
  const isAskedFor = words.every((word) => word === '-h' || word === '--help');
  if (isAskedFor) {
    env.stdout.write(topLevelHelp(helpWidth(env.stdout)));
    return 0;
  }
  if (words.every((word) => word === '-v' || word === '--version')) {
    env.stdout.write(`Talos ${buildInfo.tag}\n`);
    return 0;
  }
  const [first] = words as [string];
  const what = first.startsWith('-')
    ? `flag ${first.split('=')[0]} needs a command`
    : `there is no command in ${JSON.stringify(first)}`;
  env.stderr.write(usageLine(what, ''));
  return 1;
}

async function runHelp(words: readonly string[], env: CliEnvironment): Promise<number> {
  const [command, ...rest] = words.filter((word) => !word.startsWith('-'));
  if (command === undefined) return runWithoutCommand([], env);
  const entry = findCommand(command);
  if (entry === undefined) return refuseCommand(command, env);
  const [{ printHelp }, module] = await loadEntry(entry);
  return printHelp(entry, module, rest, env);
}

function refuseCommand(command: string, env: CliEnvironment): number {
  const known = explainMissingCommand(command);
  if (known !== undefined) {
    env.stderr.write(`error: ${known}\n`);
    return 1;
  }
  const names = [...commandTable.flatMap(({ name, aliases }) => [name, ...aliases]), ...missingCommandNames];
  const what = `unknown command ${JSON.stringify(command)}${didYouMean(nearestName(command, names))}`;
  env.stderr.write(usageLine(what, ''));
  return 1;
}

async function runEntry(entry: CommandEntry, words: readonly string[], env: CliEnvironment): Promise<number> {
  const [{ runCommand }, module] = await loadEntry(entry);
  return runCommand(entry, module, words, env);
}

function loadEntry(entry: CommandEntry) {
  return Promise.all([import('./run-command.ts'), entry.load()]).catch((error) => {
    throw faultFrom(error);
  });
}
