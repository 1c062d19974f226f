/**
 * A field of a node as one line. Columns of a table on a terminal use `escapeLine` instead, which keeps every
 * character.
 */
export function printableCell(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
