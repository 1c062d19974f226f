import type { Command, Option } from 'commander';
import type { CliEnvironment } from '../command-module.ts';
import { type CommandEntry, commandTable, findCommand } from '../command-table.ts';
import { createProgram } from '../create-program.ts';
import { splitCommandLine } from '../split-command-line.ts';
import { completeArgument, completeOptionValue } from './complete-value.ts';

/** What stands in place of candidates where a path belongs. */
export const filesDirective = ':files';

const nowhere = { write: () => {} };

/**
 * Prints the candidates for the last of `words`, one a line. Whatever goes wrong, it prints nothing and succeeds:
 * a shell that completes must stay quiet.
 */
export async function complete(words: readonly string[], env: CliEnvironment): Promise<number> {
  try {
    const candidates = await candidatesFor(words, env);
    if (candidates.length > 0) env.stdout.write(`${candidates.join('\n')}\n`);
  } catch {
    // Nothing to offer.
  }
  return 0;
}

async function candidatesFor(words: readonly string[], env: CliEnvironment): Promise<readonly string[]> {
  const last = words.at(-1) ?? '';
  const current = last === '""' ? '' : last;
  const before = words.slice(0, -1);
  const { command, rest } = splitCommandLine(before, (word) => findCommand(word) !== undefined);
  const name = command === 'help' ? rest[0] : command;
  const entry = name === undefined ? undefined : findCommand(name);
  if (entry !== undefined)
    return candidatesOf(entry, command === 'help' ? rest.slice(1) : rest, current, env);
  if (command !== undefined && command !== 'help') return [];

  // Options of the node commands may stand before the command; every one of them has the same, so ask any.
  const nodeCommand = findCommand('version') as CommandEntry;
  const previous = before.at(-1) ?? '';
  if (current.startsWith('-') || previous.startsWith('-')) {
    const offered = await candidatesOf(nodeCommand, before, current, env);
    if (current.startsWith('-') || offered.length > 0) return offered;
  }
  return startingWith(current, [...commandTable.map((known) => known.name), 'help']);
}

/** Candidates once the command is known. `words` are what stands before the cursor, without the command. */
async function candidatesOf(
  entry: CommandEntry,
  words: readonly string[],
  current: string,
  env: CliEnvironment,
): Promise<readonly string[]> {
  const program = createProgram(entry, await entry.load(), env, { stdout: nowhere, stderr: nowhere });
  let command = program.commands[0] as Command;
  const operands = operandsOf(command, words);
  const args: string[] = [];
  for (const word of operands) {
    const sub = command.commands.find((known) => known.name() === word || known.aliases().includes(word));
    if (sub !== undefined && args.length === 0) command = sub;
    else args.push(word);
  }
  const options = optionsOf(command);
  const request = { env, command, args, nodeOptions: program.commands[0]?.opts() ?? {} };

  const assigned = /^(--[^=]+)=(.*)$/s.exec(current);
  if (assigned !== null) {
    const [, flag = '', value = ''] = assigned;
    const option = options.find((known) => known.long === flag);
    const values = option === undefined ? [] : await completeOptionValue(option, value, request);
    return values[0] === filesDirective ? values : values.map((text) => `${flag}=${text}`);
  }
  const previous = words.at(-1) ?? '';
  const pending = options.find((option) => [option.short, option.long].includes(previous));
  if (pending !== undefined && (pending.required || pending.optional)) {
    return completeOptionValue(pending, current, request);
  }
  if (current.startsWith('-')) {
    const flags = options.flatMap((option) => (option.hidden ? [] : [option.long ?? option.short ?? '']));
    return startingWith(current, [...flags, '--help']);
  }
  if (command.commands.length > 0) {
    return startingWith(
      current,
      command.commands.map((sub) => sub.name()),
    );
  }
  return completeArgument(current, request);
}

/** The words that are no options. An option at the end that still waits for its value is left out. */
function operandsOf(command: Command, words: readonly string[]): readonly string[] {
  try {
    return command.parseOptions([...words]).operands;
  } catch {
    return command.parseOptions(words.slice(0, -1)).operands;
  }
}

/** The options of a command and of those it stands under. */
function optionsOf(command: Command): readonly Option[] {
  const options: Option[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) options.push(...at.options);
  return options;
}

/** The candidates that begin with what is typed already. */
export function startingWith(typed: string, candidates: readonly string[]): readonly string[] {
  return candidates.filter((candidate) => candidate.startsWith(typed));
}
