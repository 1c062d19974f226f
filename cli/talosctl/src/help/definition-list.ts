import { wrapText } from './wrap-text.ts';

/** A term, such as a flag, and its description. */
export interface Definition {
  readonly term: string;
  readonly text: string;
}

const indent = '  ';
const deepIndent = '      ';
/** The minimum width of a description next to its term. A narrower one is printed below the term. */
const leastTextWidth = 34;

/** The width of the column of terms, including the space after it. */
export function termColumn(definitions: readonly Definition[]): number {
  return Math.max(0, ...definitions.map(({ term }) => term.length)) + 2;
}

/**
 * Formats terms and descriptions in `width` columns. A description is next to its term, or below it if it lacks space.
 *
 * @param column the width of the column of terms, which aligns several lists
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
