// A text from a node can contain sequences that control a terminal, change the direction of text, or show
// nothing at all. They are printed as JSON writes them: `\u001b[2J` instead of a cleared screen. JSON on a
// terminal stays JSON.

/**
 * Control characters (C0, DEL, C1), format characters such as bidi marks, line and paragraph separators, and
 * all invisible characters. Source: Unicode 16, general categories and Default_Ignorable_Code_Point.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** The same characters except newline and tab. */
const hiddenInLines = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const plain = /^[\x20-\x7e]*$/;
const plainLines = /^[\x20-\x7e\n\t]*$/;

const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(character: string): string {
  const short = shortForms[character];
  if (short !== undefined) return short;
  let text = '';
  for (let at = 0; at < character.length; at++) {
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return text;
}

/** A text that cannot control a terminal. Newlines and tabs stay. The result is at most 6 times as long. */
export function escapeText(text: string): string {
  return plainLines.test(text) ? text : text.toWellFormed().replace(hiddenInLines, escaped);
}

/** Like `escapeText`, but for one line: newlines and tabs are escaped too. */
export function escapeLine(text: string): string {
  return plain.test(text) ? text : text.toWellFormed().replace(hidden, escaped);
}

/** Indents lines after the first, so that none of them looks like the line of another node. */
const continuation = '\n    ';

/** A text of several lines as one entry in a list: every line after the first is indented. */
export function escapeEntry(text: string): string {
  return escapeText(text).trimEnd().replaceAll('\n', continuation);
}
