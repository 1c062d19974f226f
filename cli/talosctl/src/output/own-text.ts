import type { OutputStream } from '../command-module.ts';
import { escapeLine } from './escape-text.ts';

/**
 * A text that may steer a terminal: its control sequences are this program's own. `ownText` makes one. The constructor
 * is for texts without control sequences, or that were escaped before.
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

/** The literal parts are kept as they are; values are escaped into one line, unless they are own texts themselves. */
export function ownText(literals: TemplateStringsArray, ...values: readonly (string | OwnText)[]): OwnText {
  let text = literals[0] ?? '';
  for (const [index, value] of values.entries()) {
    text += (value instanceof OwnText ? value.text : escapeLine(value)) + (literals[index + 1] ?? '');
  }
  return new OwnText(text);
}

/** Own texts one after the other, a newline behind each. */
export function ownLines(lines: readonly OwnText[]): OwnText {
  return new OwnText(lines.map(({ text }) => `${text}\n`).join(''));
}

/** Writes an own text past what escapes everything else on its way to a terminal. */
export function writeOwn(output: OutputStream, own: OwnText): unknown {
  return output.writeOwn === undefined ? output.write(own.text) : output.writeOwn(own);
}
