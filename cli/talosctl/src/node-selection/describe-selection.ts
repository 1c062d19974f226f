import type { Command, Option } from 'commander';
import { commandPath, leafCommands } from '../context/command-path.ts';
import { accessOf, type CommandAccess, commandAccess } from './command-access.ts';

/** Which nodes a command takes without `--nodes`, as text for its help. */
export const selectionRules: Readonly<Record<Exclude<CommandAccess, 'local' | 'cluster'>, string>> = {
  reads: 'default: the nodes of the context, else the first endpoint',
  watches: 'default: the nodes of the context, else all members of the cluster',
  changes: 'default: the nodes of the context, never an endpoint',
  destroys: 'required: the nodes of the context do not count',
};

/**
 * Adds to the description of the `--nodes` option which nodes a command takes when the option is missing.
 * Help and completion show it. Commands that share the option with others take the text from
 * `nodesDescription`.
 */
export function describeSelection(command: Command): void {
  const leaves = leafCommands(command);
  describeOption(command, [...new Set(leaves.flatMap(rulesOf))]);
  for (const leaf of leaves) describeOption(leaf, rulesOf(leaf));
}

/** The description of `--nodes` for a command without subcommands. */
export function nodesDescription(leaf: Command): string {
  return describe(rulesOf(leaf));
}

function nodesOption(command: Command): Option | undefined {
  return command.options.find(({ long }) => long === '--nodes');
}

function describeOption(command: Command, rules: readonly string[]): void {
  const option = nodesOption(command);
  if (option !== undefined && rules.length > 0) option.description = describe(rules);
}

function describe(rules: readonly string[]): string {
  const what = 'nodes to talk to, separated by commas';
  return rules.length === 1 ? `${what} (${rules[0]})` : what;
}

/** The rules of a command; there is a second one if some arguments make it a change. */
function rulesOf(leaf: Command): readonly string[] {
  const path = commandPath(leaf);
  const access = accessOf(path);
  if (access === 'local' || access === 'cluster') return [];
  const verbs = Object.keys(commandAccess).filter((key) => key.startsWith(`${path} * `));
  if (verbs.length === 0) return [selectionRules[access]];
  const names = verbs.map((key) => key.split(' ').at(-1)).join(', ');
  return [`${selectionRules[access]}; ${names} never take an endpoint`];
}
