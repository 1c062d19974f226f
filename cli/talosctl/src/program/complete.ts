import type { Command, Option } from 'commander';
import { type Candidate, filesDirective, startingWith } from '../completion/candidate.ts';
import { completeArgument, completeOptionValue } from '../completion/complete-value.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { escapeLine } from '../output/escape-text.ts';
import { splitCommandLine } from '../values/split-command-line.ts';
import { type CommandEntry, commandTable, findCommand } from './command-table.ts';
import { createProgram } from './create-program.ts';

const nowhere = { write: () => {} };

/**
 * Prints the candidates for the last of `words`, one per line. On any failure it prints nothing and succeeds, because
 * a completion must not disturb the command line.
 *
 * @param described whether to print descriptions: a tab and the text after the candidate
 */
export async function complete(
  words: readonly string[],
  env: CliEnvironment,
  { described = false } = {},
): Promise<number> {
  try {
    // Leave out candidates with a newline, which would read as two, or with control characters.
    const candidates = (await candidatesFor(words, env)).filter(({ value }) => escapeLine(value) === value);
    const lines = candidates.map((candidate) => lineOf(candidate, described));
    if (lines.length > 0) env.stdout.write(`${lines.join('\n')}\n`);
  } catch {
    // Print no candidates.
  }
  return 0;
}

function lineOf({ value, description }: Candidate, described: boolean): string {
  return described && description ? `${value}\t${escapeLine(description)}` : value;
}

async function candidatesFor(words: readonly string[], env: CliEnvironment): Promise<readonly Candidate[]> {
  const last = words.at(-1) ?? '';
  const current = last === '""' ? '' : last;
  const before = words.slice(0, -1);
  const { command, rest } = splitCommandLine(before, (word) => findCommand(word) !== undefined);
  const name = command === 'help' ? rest[0] : command;
  const entry = name === undefined ? undefined : findCommand(name);
  if (entry !== undefined)
    return candidatesOf(entry, command === 'help' ? rest.slice(1) : rest, current, env);
  if (command !== undefined && command !== 'help') return [];

  // Connection options may precede the command. All commands that talk to nodes have the same ones, so use any of them.
  const nodeCommand = findCommand('version') as CommandEntry;
  const previous = before.at(-1) ?? '';
  if (current.startsWith('-') || previous.startsWith('-')) {
    const offered = await candidatesOf(nodeCommand, before, current, env);
    if (current.startsWith('-') || offered.length > 0) return offered;
  }
  return startingWith(current, [
    ...commandTable.map(({ name, summary }) => ({ value: name, description: summary })),
    { value: 'help', description: 'Show help for a command' },
  ]);
}

/** Candidates for a known command. `words` are the words before the cursor, without the command. */
async function candidatesOf(
  entry: CommandEntry,
  words: readonly string[],
  current: string,
  env: CliEnvironment,
): Promise<readonly Candidate[]> {
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
    if (values[0]?.value === filesDirective) return values;
    return values.map(({ value: text, description }) => ({ value: `${flag}=${text}`, description }));
  }
  const previous = words.at(-1) ?? '';
  const pending = options.find((option) => [option.short, option.long].includes(previous));
  if (pending !== undefined && (pending.required || pending.optional)) {
    return completeOptionValue(pending, current, request);
  }
  if (current.startsWith('-')) {
    const flags = options.filter(({ hidden }) => !hidden).map(flagCandidate);
    return startingWith(current, [...flags, { value: '--help', description: 'show this help' }]);
  }
  if (command.commands.length > 0) {
    return startingWith(
      current,
      command.commands.map((sub) => ({ value: sub.name(), description: sub.description() })),
    );
  }
  return completeArgument(current, request);
}

/** The words that are not options. An option at the end whose value is missing is left out. */
function operandsOf(command: Command, words: readonly string[]): readonly string[] {
  try {
    return command.parseOptions([...words]).operands;
  } catch {
    return command.parseOptions(words.slice(0, -1)).operands;
  }
}

/** The options of a command and of its parent commands. */
function optionsOf(command: Command): readonly Option[] {
  const options: Option[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) options.push(...at.options);
  return options;
}

function flagCandidate({ long, short, description }: Option): Candidate {
  return { value: long ?? short ?? '', description };
}
