import { commandGroups, commandTable } from './command-table.ts';

const helpLine = { name: 'help', summary: 'Show help for a command', group: 'other' };

/** The text of `talosctl help`: every command in its group. Loads no command. */
export function topLevelHelp(): string {
  const lines = [...commandTable, helpLine];
  const column = Math.max(...lines.map(({ name }) => name.length)) + 3;
  const groups = Object.entries(commandGroups).flatMap(([group, title]) => [
    '',
    title,
    ...lines
      .filter((line) => line.group === group)
      .map(({ name, summary }) => `  ${name.padEnd(column)}${summary}`),
  ]);
  return [
    'A command line for nodes that have no shell: everything goes through their API.',
    '',
    'Usage:',
    '  talosctl [flags] <command> [arguments]',
    ...groups,
    '',
    'Use "talosctl <command> --help" for more about a command.',
    '',
  ].join('\n');
}
