/** A field of a node in one line. Columns of a table on a terminal use `escapeLine`, which shows what was there. */
export function printableCell(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
