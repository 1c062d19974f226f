import type { Argument, Command, Option } from 'commander';
import { connectionHeading } from '../../cli/talosctl/src/context/headings.ts';
import { examplesOf } from '../../cli/talosctl/src/help/command-examples.ts';
import { moreHelpOf } from '../../cli/talosctl/src/help/more-help.ts';
import { accessOf, type CommandAccess } from '../../cli/talosctl/src/node-selection/command-access.ts';
import { commandGroups, commandTable } from '../../cli/talosctl/src/program/command-table.ts';
import { type BuiltCommand, everyCommand } from '../../cli/talosctl/src/testing/every-command.ts';
import { anchorOf, code, codeBlock, markdownTable, type Page, prose } from './page.ts';

const accessTexts: Readonly<Record<CommandAccess, string>> = {
  local: 'It calls no node.',
  reads: 'It reads. Nodes: `-n`, else the nodes of the context, else the first endpoint.',
  watches: 'It reads. Nodes: `-n`, else the nodes of the context, else all members of the cluster.',
  changes:
    'It changes nodes. Nodes: `-n`, else the nodes of the context, never an endpoint that was not named.',
  cluster:
    'It asks a control plane, which acts on the whole cluster. Nodes: `-n`, else the nodes of the context, else the endpoints.',
  destroys: 'It destroys data. Nodes: `-n` only.',
};

/** The reference of talosctl: a page with the list, and a page for each command with its subcommands. */
export async function commandPages(): Promise<Page[]> {
  const built = await everyCommand();
  const pages = commandTable.map(({ name }): Page => {
    const commands = built.filter(({ path }) => path === name || path.startsWith(`${name} `));
    return {
      id: commandPageId(name),
      title: name,
      group: 'Commands',
      markdown: [`# talosctl ${name}`, '', ...commands.map((each) => commandSection(each, name))].join('\n'),
    };
  });
  return [listOf(built), ...pages];
}

const commandPageId = (name: string) => `command-${name}`;

/** Where a command is documented: `command-etcd.html#talosctl-etcd-members`. */
export function commandAddress(path: string): string {
  return `${commandPageId(path.split(' ')[0] ?? path)}.html#${anchorOf(`talosctl ${path}`)}`;
}

function listOf(built: readonly BuiltCommand[]): Page {
  const sections = Object.entries(commandGroups).map(([group, heading]) => {
    const names = commandTable.filter((entry) => entry.group === group).map(({ name }) => name);
    const rows = built
      .filter(
        ({ path, command }) => names.includes(path.split(' ')[0] ?? '') && command.commands.length === 0,
      )
      .map(({ path, command }) => [`[${code(path)}](${commandAddress(path)})`, prose(command.description())]);
    return `## ${heading.replace(/:$/, '')}\n\n${markdownTable(['Command', 'Purpose'], rows)}`;
  });
  const markdown = `# Commands

Every command of \`talosctl\`. Each takes \`-o json\`, where it prints something, and \`--help\`.

${sections.join('\n')}`;
  return {
    id: 'commands',
    madeBy: 'tools/docs/command-pages.ts',
    title: 'All commands',
    group: 'Commands',
    markdown,
  };
}

function commandSection({ path, command }: BuiltCommand, page: string): string {
  const isPage = path === page;
  const own = command.options.filter(({ hidden }) => !hidden);
  const isConnection = (option: Option) => option.helpGroupHeading === connectionHeading;
  return [
    ...(isPage ? [] : [`## talosctl ${path}`, '']),
    prose(command.description()),
    '',
    codeBlock('text', `talosctl ${path} ${command.usage()}`),
    ...(command.aliases().length === 0 ? [] : [`Aliases: ${command.aliases().map(code).join(', ')}.`, '']),
    ...(command.commands.length === 0 ? [accessTexts[accessOf(path)], ''] : []),
    table('Argument', command.registeredArguments.map(argumentRow)),
    table(
      'Subcommand',
      command.commands.map((each) => subcommandRow(path, each)),
    ),
    table('Option', own.filter((option) => !isConnection(option)).map(optionRow)),
    table('Option for the connection', own.filter(isConnection).map(optionRow)),
    ...moreHelpOf(command).map((block) =>
      typeof block === 'string'
        ? `${prose(block)}\n`
        : `${prose(block.heading)}\n\n${markdownTable(
            ['', ''],
            block.definitions.map(({ term, text }) => [code(term), prose(text)]),
          )}`,
    ),
    ...examplesText(path),
  ].join('\n');
}

function table(heading: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : markdownTable([heading, ''], rows);
}

function argumentRow(argument: Argument): string[] {
  const notes = [argument.required ? '' : 'optional', argument.variadic ? 'several' : ''].filter(Boolean);
  return [
    code(argument.name()),
    withNotes(argument.description, [...notes, ...choicesOf(argument.argChoices)]),
  ];
}

function subcommandRow(path: string, command: Command): string[] {
  return [
    `[${code(command.name())}](${commandAddress(`${path} ${command.name()}`)})`,
    prose(command.description()),
  ];
}

function optionRow(option: Option): string[] {
  const isOff = option.isBoolean() && option.defaultValue === false;
  const hasDefault = option.defaultValue !== undefined && !isOff;
  const defaults = hasDefault
    ? [`default ${option.defaultValueDescription ?? JSON.stringify(option.defaultValue)}`]
    : [];
  return [code(option.flags), withNotes(option.description, [...choicesOf(option.argChoices), ...defaults])];
}

const choicesOf = (choices: readonly string[] | undefined) =>
  choices === undefined ? [] : [`one of ${choices.join(', ')}`];

function withNotes(text: string, notes: readonly string[]): string {
  return prose(notes.length === 0 ? text : `${text} (${notes.join('; ')})`);
}

function examplesText(path: string): string[] {
  const lines = examplesOf(path).flatMap(({ text, command }) => [`# ${text}`, command]);
  return lines.length === 0 ? [] : ['Examples:', '', codeBlock('sh', lines.join('\n'))];
}
