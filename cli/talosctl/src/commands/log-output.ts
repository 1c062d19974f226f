import type { Command } from 'commander';
import type { CliEnvironment } from '../context/command-module.ts';
import { commandPath } from '../context/command-path.ts';
import { followedOutput } from '../nodes/node-options.ts';
import { type OutputFormat, outputWords, parseLogFormat } from '../render/output-format.ts';
import { shownLine } from '../values/shown-line.ts';

/** Options of a command that prints lines of logs. */
export interface LogOutputOptions {
  readonly output: OutputFormat | 'raw';
}

/** Adds the `-o` of commands that print lines of logs. */
export function addLogOutputOption(command: Command): Command {
  const path = commandPath(command);
  return command.option(
    '-o, --output <format>',
    `${outputWords(path)}; raw: the lines as they are, also on a terminal${followedOutput}`,
    (text) => parseLogFormat(text, path),
    'table',
  );
}

/**
 * The function that shows a line: on a terminal with its time, level and text, in a pipe and with `raw` as it is.
 *
 * @param env `now` is for lines without a year
 */
export function lineText(
  { stdout, now }: Pick<CliEnvironment, 'stdout' | 'now'>,
  { output }: LogOutputOptions,
): (line: string) => string {
  if (output === 'raw' || !stdout.isTTY) return (line) => line;
  return (line) => shownLine(line, now().getTime());
}
