/** A problem of an expression. `at` is its position in UTF-16 code units, from 0. */
export class ExpressionProblem extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Formats a position as `line:column`, both from 1. Columns count Unicode code points. */
export function formatPosition(text: string, at: number): string {
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `${line}:${[...before.slice(lineStart)].length + 1}`;
}
