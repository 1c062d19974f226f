/**
 * How a text is written so that every YAML reader, whichever version of YAML it follows, takes it for a text again.
 *
 * Source: Talos v1.14: machine configuration, encoding; YAML 1.1 and 1.2 core schemas.
 */

const word = /^(?:~|null|true|false|y|n|yes|no|on|off|[-+]?\.inf|\.nan|<<|=)$/i;
const number =
  /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-f_]+|(?:\.[0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:e[-+]?[0-9]+)?|0[box])$/i;
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const date = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt ])/;

/** Whether an unquoted reading of the text would be a number, a boolean, a date, null or a merge key. */
export function looksLikeAnotherType(text: string): boolean {
  return text === '' || word.test(text) || number.test(text) || sexagesimal.test(text) || date.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that need an escape
const needsEscape = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

/** Whether the text holds a character that only a double-quoted text can hold. Well-formed pairs do not count. */
function hasEscapes(text: string): boolean {
  return needsEscape.test(text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ''));
}

function isPlainShape(text: string): boolean {
  return (
    !/^[\s,[\]{}#&*!|>'"%@`]/.test(text) &&
    !/^[-?:](?:\s|$)/.test(text) &&
    !/^(?:---|\.\.\.)/.test(text) &&
    !/\s$/.test(text) &&
    !/:(?:\s|$)/.test(text) &&
    !/\s#/.test(text) &&
    !text.includes('\t')
  );
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'block';

/** The style of a text that is a value; `block` means `|`. */
export function scalarStyle(text: string): ScalarStyle {
  if (hasEscapes(text)) return 'double';
  if (text.includes('\n')) return / \n| $/.test(text) || /^\n*$/.test(text) ? 'double' : 'block';
  if (text.includes('\t') || looksLikeAnotherType(text)) return 'double';
  return isPlainShape(text) ? 'plain' : 'single';
}

/** The text on one line: unquoted where that is safe, else quoted. */
export function encodeInlineText(text: string): string {
  switch (scalarStyle(text)) {
    case 'plain':
      return text;
    case 'single':
      return `'${text.replaceAll("'", "''")}'`;
    default:
      return encodeDoubleQuoted(text);
  }
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  '\v': '\\v',
  '\u0007': '\\a',
  '\u001b': '\\e',
};

function encodeDoubleQuoted(text: string): string {
  let quoted = '"';
  for (const character of text) {
    const escaped = shortEscapes[character];
    if (escaped !== undefined) quoted += escaped;
    else if (hasEscapes(character)) quoted += hexEscape(character.codePointAt(0) ?? 0);
    else quoted += character;
  }
  return `${quoted}"`;
}

function hexEscape(code: number): string {
  return code <= 0xff
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
