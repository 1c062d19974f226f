/**
 * Chooses the style of a string so that readers of YAML 1.1 and 1.2 both decode it as a string.
 *
 * Source: Talos v1.14: machine configuration, encoding; YAML 1.1 and 1.2 core schemas.
 */

const word = /^(?:~|null|true|false|y|n|yes|no|on|off|[-+]?\.inf|\.nan|<<|=)$/i;
const number =
  /^[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-f_]+|(?:\.[0-9_]*|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:e[-+]?[0-9]+)?|0[box])$/i;
const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const date = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:$|[Tt ])/;

/** Whether the unquoted text would be decoded as a number, boolean, date, null or merge key. */
export function looksLikeAnotherType(text: string): boolean {
  return text === '' || word.test(text) || number.test(text) || sexagesimal.test(text) || date.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that need an escape
const needsEscape = /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

/**
 * Whether the text contains a character that is allowed only in double quotes. Valid surrogate pairs are not
 * such characters.
 */
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

/** Returns the style for a string value; `block` means `|`. */
export function scalarStyle(text: string): ScalarStyle {
  if (hasEscapes(text)) return 'double';
  if (text.includes('\n')) return / \n| $/.test(text) || /^\n*$/.test(text) ? 'double' : 'block';
  if (text.includes('\t') || looksLikeAnotherType(text)) return 'double';
  return isPlainShape(text) ? 'plain' : 'single';
}

/** Encodes a string on one line: unquoted if that is safe, otherwise quoted. */
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
