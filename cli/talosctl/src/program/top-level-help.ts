import { definitionLines, termColumn } from '../help/definition-list.ts';
import { wrapText } from '../help/wrap-text.ts';
import { commandGroups, commandTable } from './command-table.ts';

const helpLine = { name: 'help', summary: 'Show help for a command', group: 'other' };

/** The text of `talosctl help` in `width` columns, with all commands by group. It loads no command. */
export function topLevelHelp(width: number): string {
  const lines = [...commandTable, helpLine].map(({ name, summary, group }) => ({
    group,
    term: name,
    text: summary,
  }));
  const column = termColumn(lines);
  const groups = Object.entries(commandGroups).flatMap(([group, title]) => [
    '',
    ...wrapText(title, width),
    ...definitionLines(
      lines.filter((line) => line.group === group),
      column,
      width,
    ),
  ]);
  return [
    ...wrapText('Manages nodes that have no shell, through their API.', width),
    '',
    'Usage:',
    '  talosctl [flags] <command> [arguments]',
    ...groups,
    '',
    'Examples:',
    ...examples.flatMap(({ text, command }) => [`  # ${text}`, `  ${command}`]),
    '',
    ...wrapText('Use "talosctl <command> --help" for more about a command.', width),
    '',
  ].join('\n');
}

const examples = [
  { text: 'list the services of two nodes', command: 'talosctl -n node01,node02 service' },
  { text: 'complete commands, nodes and services with Tab', command: 'source <(talosctl completion bash)' },
];
