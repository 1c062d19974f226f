// Texts of nodes are written to a terminal: none of them may control it, and each line must be as wide as the
// layout assumes.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is looked for
const sequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f]/g;
/** Combining marks, and characters that have no width or change the direction of the text after them. */
const invisible = /[\p{Mn}\p{Me}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const wide =
  /[\u1100-\u115e\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Marks that combine with the character before them, and the later letters of a Korean syllable. */
const combining = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/u;
const plain = /^[\x20-\x7e]*$/;

/**
 * A text in a form that fits in one line: without control sequences, tabs as two spaces, other control
 * characters as a blank.
 */
export function terminalText(text: string): string {
  if (plain.test(text)) return text;
  return text
    .toWellFormed()
    .replace(sequences, '')
    .replaceAll('\t', '  ')
    .replace(controls, ' ')
    .replace(invisible, '');
}

/** Columns of a text that `terminalText` has cleaned, or in which invisible characters are escaped. */
export function textWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += combining.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** As much of a text as fits, with `…` for the part that was cut off. */
export function cutText(text: string, width: number, mark = '…'): string {
  if (textWidth(text) <= width) return text;
  if (width <= 0) return '';
  let shown = '';
  let taken = 0;
  for (const character of text) {
    const next = textWidth(character);
    if (taken + next > width - 1) break;
    shown += character;
    taken += next;
  }
  return shown + mark;
}

/** A text in exactly `width` columns. */
export function padText(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const cut = cutText(text, width);
  const blank = ' '.repeat(Math.max(0, width - textWidth(cut)));
  return side === 'left' ? cut + blank : blank + cut;
}

/** A long text in lines of at most `width` columns, broken between words if possible. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (textWidth(joined) <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (textWidth(line) > width && width > 0) {
      const [first = ''] = line;
      // A character that is wider than the line is alone in its own.
      const head = cutText(line, width + 1, '') || first;
      if (head === line) break;
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return [...lines, line];
}
