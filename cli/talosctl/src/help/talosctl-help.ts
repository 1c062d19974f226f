import { type Command, Help, type Option } from 'commander';
import { commandPath } from '../context/command-path.ts';
import { connectionHeading, ownHeading } from '../context/headings.ts';
import { accessOf } from '../node-selection/command-access.ts';
import { nodesDescription } from '../node-selection/describe-selection.ts';
import { type Example, examplesOf } from './command-examples.ts';
import { type Definition, definitionLines, termColumn } from './definition-list.ts';
import { type HelpSection, moreHelpOf } from './more-help.ts';
import { wrapText } from './wrap-text.ts';

/**
 * The layout of the help. Options of the command, including those of its parents, precede the connection options.
 * Examples come last. The text fits the width of the terminal.
 */
export class TalosctlHelp extends Help {
  override commandUsage(command: Command): string {
    return `talosctl ${commandPath(command)} ${command.usage()}`;
  }

  override formatHelp(command: Command): string {
    const width = this.helpWidth ?? 80;
    const sections = this.#sections(command);
    const column = termColumn(sections.flatMap(({ definitions }) => definitions));
    const blocks = [
      usageLines(this.commandUsage(command), width),
      aliasLines(command),
      wrapText(command.description(), width),
      ...sections.map(({ heading, definitions }) => [
        heading,
        ...definitionLines(definitions, column, width),
      ]),
      ...moreHelpOf(command).map((block) => blockLines(block, width)),
      exampleLines(examplesOf(commandPath(command)), width),
    ];
    return `${blocks
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n')}\n`;
  }

  /** The description of an option, without the default of a flag that is off by default. */
  override optionDescription(option: Option): string {
    if (option.isBoolean() && option.defaultValue === false) return option.description;
    return super.optionDescription(option);
  }

  #sections(command: Command): HelpSection[] {
    const visible = this.visibleOptions(command);
    const help = visible.filter(({ long }) => long === '--help');
    const options = [
      ...visible.filter((each) => !help.includes(each)),
      ...inheritedOptions(command),
      ...help,
    ];
    const isConnection = (option: Option) => option.helpGroupHeading === connectionHeading;
    const own = options.filter((option) => !isConnection(option));
    const sections: HelpSection[] = [
      {
        heading: 'Arguments:',
        definitions: this.visibleArguments(command).map((each) => this.#argument(each)),
      },
      {
        heading: 'Commands:',
        definitions: this.visibleCommands(command).map((each) => ({
          term: each.name(),
          text: this.subcommandDescription(each),
        })),
      },
      { heading: ownHeading, definitions: own.map((each) => this.#option(command, each)) },
      {
        heading: connectionHeading,
        definitions: options.filter(isConnection).map((each) => this.#option(command, each)),
      },
    ];
    return sections.filter(({ definitions }) => definitions.length > 0);
  }

  #option(command: Command, option: Option): Definition {
    const isShared = option.long === '--nodes' && !command.options.includes(option);
    const text =
      isShared && command.commands.length === 0 ? nodesDescription(command) : this.optionDescription(option);
    return { term: this.optionTerm(option), text };
  }

  #argument(argument: Parameters<Help['argumentTerm']>[0]): Definition {
    return { term: this.argumentTerm(argument), text: this.argumentDescription(argument) };
  }
}

/** Options of the parent commands that this command uses. They are accepted after the subcommand too. */
function inheritedOptions(command: Command): Option[] {
  const options: Option[] = [];
  for (let at = command.parent; at !== null; at = at.parent) {
    options.push(...at.options.filter(({ hidden }) => !hidden));
  }
  const isLeaf = command.commands.length === 0;
  if (!isLeaf || accessOf(commandPath(command)) !== 'local') return options;
  return options.filter(
    ({ helpGroupHeading, long }) => helpGroupHeading !== connectionHeading || isOfFile(long),
  );
}

/** Whether an option selects the talosconfig file or a context in it. */
const isOfFile = (flag: string | undefined) => flag === '--talosconfig' || flag === '--context';

function usageLines(usage: string, width: number): string[] {
  const [first = '', ...rest] = wrapText(usage, width - 'Usage: '.length);
  return [`Usage: ${first}`, ...rest.map((line) => `         ${line}`)];
}

function aliasLines(command: Command): string[] {
  return command.aliases().length === 0 ? [] : [`Aliases: ${command.aliases().join(', ')}`];
}

function blockLines(block: string | HelpSection, width: number): string[] {
  if (typeof block === 'string') return wrapText(block, width);
  const { heading, definitions } = block;
  return [heading, ...definitionLines(definitions, termColumn(definitions), width)];
}

/** Formats the examples. A command line is never wrapped, so that it can be copied. */
function exampleLines(examples: readonly Example[], width: number): string[] {
  if (examples.length === 0) return [];
  const lines = examples.flatMap(({ command, text }) => [
    ...wrapText(text, width - 4).map((line) => `  # ${line}`),
    `  ${command}`,
  ]);
  return ['Examples:', ...lines];
}
