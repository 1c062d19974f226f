/** What a node sends is shown on one line and cannot steer the terminal. */
export function printableCell(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}

/** The same for a message, which may have several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printableCell).join('\n');
}
