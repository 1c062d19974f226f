import type { Command } from 'commander';
import type { Definition } from './definition-list.ts';

/** Terms with descriptions under a heading. */
export interface HelpSection {
  readonly heading: string;
  readonly definitions: readonly Definition[];
}

const blocks = new WeakMap<Command, readonly (string | HelpSection)[]>();

/** Adds a paragraph or a section to the help of a command, below its options. */
export function addHelp(command: Command, block: string | HelpSection): Command {
  blocks.set(command, [...moreHelpOf(command), block]);
  return command;
}

export function moreHelpOf(command: Command): readonly (string | HelpSection)[] {
  return blocks.get(command) ?? [];
}
