import { InvalidArgumentError } from 'commander';
import { parseJsonPath, type TemplatePart } from '../json-path/parse-json-path.ts';
import { nameTemplateOf } from './name-templates.ts';

/** What to print of each entry instead of the whole document. */
export interface TemplateFormat {
  readonly kind: 'template';
  readonly parts: readonly TemplatePart[];
}

/** How results are printed. */
export const outputFormats = ['table', 'json', 'yaml'] as const;
export type DocumentFormat = Exclude<(typeof outputFormats)[number], 'table'> | TemplateFormat;
export type OutputFormat = 'table' | DocumentFormat;

/** Commands that print lines of logs, which a terminal shows in a readable form unless it is `raw`. */
const logCommands: ReadonlySet<string> = new Set(['logs', 'cluster logs']);

/**
 * The formats that `-o` of a command accepts.
 *
 * @param command names of the command, such as `etcd members`
 */
export function outputChoices(command: string): readonly string[] {
  const names = nameTemplateOf(command) === undefined ? [] : ['name'];
  const raw = logCommands.has(command) ? ['raw'] : [];
  return ['table', 'wide', 'json', 'yaml', ...raw, ...names, 'jsonpath='];
}

/** The formats as text for the help of the command. */
export function outputWords(command: string): string {
  return `output format: ${outputChoices(command).slice(0, -1).join(', ')} or jsonpath='{...}'`;
}

/**
 * Reads the value of `-o`. `wide` is the table: only `get` has more columns.
 *
 * @param command names of the command, which decide whether it has identifiers to print
 */
export function parseOutputFormat(text: string, command: string): OutputFormat {
  if (text === 'wide') return 'table';
  const format = outputFormats.find((known) => known === text);
  if (format !== undefined) return format;
  const template = text === 'name' ? nameTemplateOf(command) : /^jsonpath=(.*)$/s.exec(text)?.[1];
  if (text === 'name' && template === undefined) {
    throw new InvalidArgumentError(`${command} has no names to print: use "-o json" or a jsonpath.`);
  }
  if (template === undefined) {
    const choices = outputChoices(command).slice(0, -1).join(', ');
    throw new InvalidArgumentError(`It must be one of ${choices}, jsonpath='{...}'.`);
  }
  return { kind: 'template', parts: parseTemplate(template) };
}

/** Reads the value of `-o` of a command that prints lines of logs. */
export function parseLogFormat(text: string, command: string): OutputFormat | 'raw' {
  return text === 'raw' ? text : parseOutputFormat(text, command);
}

/**
 * Reads the text after `jsonpath=`.
 *
 * @throws InvalidArgumentError for a missing or invalid path
 */
export function parseTemplate(template: string): readonly TemplatePart[] {
  if (!template.includes('{')) {
    throw new InvalidArgumentError("A JSONPath stands in braces, such as jsonpath='{.metadata.id}'.");
  }
  try {
    return parseJsonPath(template);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
