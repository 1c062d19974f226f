import { type Fault, grpcCodeFromKind, grpcCodeName } from '@nodewright/fault';
import type { OutputStream } from '../context/command-module.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { formatCompactJson, formatJson } from './json.ts';
import type { DocumentFormat, TemplateFormat } from './output-format.ts';
import { plainError } from './plain-error.ts';
import { documentLines, templateLines } from './template-lines.ts';

/** A failure as an entry of a document. */
export function documentError(fault: Fault): { code: string; message: string } {
  return { code: grpcCodeName(grpcCodeFromKind(fault.kind)), message: plainError(fault.message) };
}

/** Writes a whole document at once. */
export async function writeDocument(
  output: OutputStream,
  format: DocumentFormat,
  value: unknown,
): Promise<void> {
  if (typeof format === 'string') output.write(`${await formatDocument(format, value)}\n`);
  else await writeSlowly(output, linesText(output, documentLines(value, format.parts)));
}

function linesText({ isTTY }: OutputStream, lines: readonly string[]): string {
  return lines.map((line) => `${isTTY ? escapeEntry(line) : line}\n`).join('');
}

async function formatDocument(format: TextFormat, value: unknown): Promise<string> {
  // YAML is loaded only when it is needed, because it would cost every command a few milliseconds.
  return format === 'json' ? formatJson(value) : (await import('./yaml.ts')).formatYaml(value);
}

type TextFormat = Exclude<DocumentFormat, TemplateFormat>;

/** Writes items as they arrive. */
export interface ItemOutput {
  add(item: unknown): Promise<void>;
  /** Ends the document: no more items follow. */
  end(): void;
}

/** One list for a command that ends. For a command that follows, one line or document per item. */
export function openItems(output: OutputStream, format: DocumentFormat, isEndless: boolean): ItemOutput {
  if (typeof format !== 'string') return new TemplateItems(output, format);
  return isEndless ? new ItemLines(output, format) : new ListDocument(output, format);
}

/** The values that a template selects in each item. */
class TemplateItems implements ItemOutput {
  readonly #output: OutputStream;
  readonly #format: TemplateFormat;

  constructor(output: OutputStream, format: TemplateFormat) {
    this.#output = output;
    this.#format = format;
  }

  async add(item: unknown): Promise<void> {
    await writeSlowly(this.#output, linesText(this.#output, templateLines(item, this.#format.parts)));
  }

  end(): void {}
}

/** As JSON one object per line, as YAML one document per item: a reader gets each one complete. */
class ItemLines implements ItemOutput {
  readonly #output: OutputStream;
  readonly #format: TextFormat;

  constructor(output: OutputStream, format: TextFormat) {
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

/** A list that is written item by item, and is a single valid document once it has ended. */
class ListDocument implements ItemOutput {
  readonly #output: OutputStream;
  readonly #format: TextFormat;
  #count = 0;

  constructor(output: OutputStream, format: TextFormat) {
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
