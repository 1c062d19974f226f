// What a node says can hold sequences that steer a terminal, turn the direction of text, or show nothing at all. They
// are shown as JSON writes them: `\u001b[2J` in place of a cleared screen. JSON on a terminal stays JSON.

/**
 * Control characters (C0, DEL, C1), format characters such as bidi marks, line and paragraph separators, and all that
 * shows nothing. Source: Unicode 16, general categories and Default_Ignorable_Code_Point.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** The same without the newline and the tab. */
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

/** A text that cannot steer a terminal. Its newlines and tabs stay. At most 6 times as long. */
export function escapeText(text: string): string {
  return plainLines.test(text) ? text : text.toWellFormed().replace(hiddenInLines, escaped);
}

/** The same in one line: newlines and tabs are escaped as well. */
export function escapeLine(text: string): string {
  return plain.test(text) ? text : text.toWellFormed().replace(hidden, escaped);
}

/** How lines after the first stand out, so that none of them looks like a line of another node. */
const continuation = '\n    ';

/** A text of several lines that is one entry among others: every line after the first is indented. */
export function escapeEntry(text: string): string {
  return escapeText(text).trimEnd().replaceAll('\n', continuation);
}
