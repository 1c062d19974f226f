import { wrapText } from './wrap-text.ts';

/** A word or flag, and what it means. */
export interface Definition {
  readonly term: string;
  readonly text: string;
}

const indent = '  ';
const deepIndent = '      ';
/** Narrower than this a text is hard to read beside its term, and goes below it. */
const leastTextWidth = 34;

/** The width of the column of terms, with the space behind it. */
export function termColumn(definitions: readonly Definition[]): number {
  return Math.max(0, ...definitions.map(({ term }) => term.length)) + 2;
}

/**
 * Terms with their texts, in `width` columns: beside each other where the texts have room, else below each other.
 *
 * @param column width of the column of terms, so that several lists line up
 */
export function definitionLines(definitions: readonly Definition[], column: number, width: number): string[] {
  const beside = width - indent.length - column;
  return definitions.flatMap(({ term, text }) =>
    beside >= leastTextWidth
      ? besideLines(term, wrapText(text, beside), column)
      : [
          `${indent}${term}`,
          ...wrapText(text, width - deepIndent.length).map((line) => `${deepIndent}${line}`),
        ],
  );
}

function besideLines(term: string, lines: readonly string[], column: number): string[] {
  const [first = '', ...rest] = lines;
  const below = ' '.repeat(indent.length + column);
  return [`${indent}${term.padEnd(column)}${first}`.trimEnd(), ...rest.map((line) => `${below}${line}`)];
}
