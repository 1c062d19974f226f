import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputFlag } from '../../nodes/node-options.ts';
import { writeDocument } from '../../render/document.ts';
import type { OutputFormat } from '../../render/output-format.ts';
import type { PlannedFile } from './planned-file.ts';
import { type WriteFilesOptions, writeFiles } from './write-files.ts';

/** One thousand years. */
const maxHours = 8_760_000;

/** Options of every `gen` command. */
export interface GenOptions {
  readonly force?: boolean;
}

/** Adds a subcommand of `talosctl gen`. The parent command defines `--force`. */
export function addGenCommand(gen: Command, name: string, summary: string): Command {
  return gen.command(name).description(summary);
}

/** Adds `--format`, the output format of commands whose `-o` is a path. */
export function addFormatOption(command: Command): Command {
  return addOutputFlag(command, '--format <format>', ' (-o is a path here)');
}

export function writeOptions(env: CliEnvironment, { force }: GenOptions): WriteFilesOptions {
  return { cwd: env.cwd, force: force ?? false };
}

/** Writes the files and reports them: one line each on stderr, or a document with absolute paths on stdout. */
export async function createFiles(
  env: CliEnvironment,
  files: readonly PlannedFile[],
  options: GenOptions,
  format: OutputFormat,
): Promise<void> {
  await writeFiles(files, writeOptions(env, options));
  if (format === 'table') {
    for (const { path } of files) env.stderr.write(`Created ${path}\n`);
  } else {
    await writeDocument(env.stdout, format, { created: files.map(({ path }) => resolve(env.cwd, path)) });
  }
}

/** Parses a number of hours. */
export function parseHours(text: string): number {
  const hours = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  // Dates in certificates end with the year 9999.
  if (hours < 1 || hours > maxHours)
    throw new InvalidArgumentError(`It must be a number of hours from 1 to ${maxHours}.`);
  return hours;
}
