import { escapeLine } from '../output/escape-text.ts';
import type { OutputStream } from './command-module.ts';

/**
 * A text that may control a terminal, because its control sequences are this program's own. Create it with
 * `ownText`. The constructor is for texts that have no control sequences or are already escaped.
 */
export class OwnText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/**
 * Keeps the literal parts and escapes the values into one line, except values that are own texts themselves.
 */
export function ownText(literals: TemplateStringsArray, ...values: readonly (string | OwnText)[]): OwnText {
  let text = literals[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += (value instanceof OwnText ? value.text : escapeLine(value)) + (literals[index + 1] ?? '');
  }
  return new OwnText(text);
}

/** Own texts with a newline after each. */
export function ownLines(lines: readonly OwnText[]): OwnText {
  return new OwnText(lines.map(({ text }) => `${text}\n`).join(''));
}

/** Writes an own text without the escaping that all other output to a terminal gets. */
export function writeOwn(output: OutputStream, own: OwnText): unknown {
  return output.writeOwn === undefined ? output.write(own.text) : output.writeOwn(own);
}
