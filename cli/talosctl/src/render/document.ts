import { type Fault, grpcCodeFromKind, grpcCodeName } from '@nodewright/fault';
import { InvalidArgumentError } from 'commander';
import type { OutputStream } from '../command-module.ts';
import { writeSlowly } from '../write-slowly.ts';
import { formatCompactJson, formatJson } from './json.ts';

/** How results are printed. */
export const outputFormats = ['table', 'json', 'yaml'] as const;
export type OutputFormat = (typeof outputFormats)[number];
export type DocumentFormat = Exclude<OutputFormat, 'table'>;

/** Reads the value of `-o`. */
export function parseOutputFormat(text: string): OutputFormat {
  const format = outputFormats.find((known) => known === text);
  if (format === undefined) throw new InvalidArgumentError(`It must be one of ${outputFormats.join(', ')}.`);
  return format;
}

/** How a failure stands in a document. */
export function documentError(fault: Fault): { code: string; message: string } {
  return { code: grpcCodeName(grpcCodeFromKind(fault.kind)), message: fault.message };
}

/** Writes a whole document at once. */
export async function writeDocument(
  output: OutputStream,
  format: DocumentFormat,
  value: unknown,
): Promise<void> {
  output.write(`${await formatDocument(format, value)}\n`);
}

async function formatDocument(format: DocumentFormat, value: unknown): Promise<string> {
  // YAML is loaded only when it is asked for: it would cost every command a few milliseconds.
  return format === 'json' ? formatJson(value) : (await import('./yaml.ts')).formatYaml(value);
}

/** Items that are written as they come. */
export interface ItemOutput {
  add(item: unknown): Promise<void>;
  /** Says that no more come. */
  end(): void;
}

/** One list, or, for what goes on until the user has seen enough, a line or a document an item. */
export function openItems(output: OutputStream, format: DocumentFormat, isEndless: boolean): ItemOutput {
  return isEndless ? new ItemLines(output, format) : new ListDocument(output, format);
}

/** As JSON one object a line, as YAML one document each: whoever reads along has each whole at once. */
class ItemLines implements ItemOutput {
  readonly #output: OutputStream;
  readonly #format: DocumentFormat;

  constructor(output: OutputStream, format: DocumentFormat) {
    this.#output = output;
    this.#format = format;
  }

  async add(item: unknown): Promise<void> {
    const text =
      this.#format === 'json' ? formatCompactJson(item) : `---\n${await formatDocument('yaml', item)}`;
    await writeSlowly(this.#output, `${text}\n`);
  }

  end(): void {}
}

/** A list that is written item by item, as they come, and is one valid document once it has been ended. */
class ListDocument implements ItemOutput {
  readonly #output: OutputStream;
  readonly #format: DocumentFormat;
  #count = 0;

  constructor(output: OutputStream, format: DocumentFormat) {
    this.#output = output;
    this.#format = format;
  }

  async add(item: unknown): Promise<void> {
    this.#count += 1;
    if (this.#format === 'yaml') {
      return writeSlowly(this.#output, `${await formatDocument('yaml', [item])}\n`);
    }
    const text = formatJson(item).replaceAll('\n', '\n  ');
    await writeSlowly(this.#output, `${this.#count === 1 ? '[' : ','}\n  ${text}`);
  }

  end(): void {
    if (this.#format === 'json') this.#output.write(this.#count === 0 ? '[]\n' : '\n]\n');
    else if (this.#count === 0) this.#output.write('[]\n');
  }
}
