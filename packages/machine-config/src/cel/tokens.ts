import { ExpressionProblem } from './expression-problem.ts';
import { checkNumber, checkText } from './literals.ts';

export type LiteralKind = 'int' | 'uint' | 'double' | 'string' | 'bytes';

/** One token of an expression. `at` counts UTF-16 code units from 0. */
export interface Token {
  readonly kind: 'name' | 'quoted-name' | 'sign' | 'end' | LiteralKind;
  readonly text: string;
  readonly at: number;
}

const quoted = String.raw`(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*')`;
const rawQuoted = String.raw`[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\r\n]*"|'[^'\r\n]*')`;

/** In order of priority: the first pattern that matches is used. */
const patterns: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /[\t\n\f\r ]+|\/\/[^\n]*/y],
  ['bytes', new RegExp(`[bB](?:${rawQuoted}|${quoted})`, 'y')],
  ['string', new RegExp(`${rawQuoted}|${quoted}`, 'y')],
  ['double', /(?:\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)/y],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|\d+/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['quoted-name', /`[A-Za-z0-9_./ -]+`/y],
  ['sign', /&&|\|\||[=!<>]=|[-+*/%!<>?:.,()[\]{}]/y],
];

/**
 * Splits an expression into tokens, with `end` as the last.
 *
 * @throws ExpressionProblem if a character is unexpected or a literal is invalid
 *
 * Source: Common Expression Language, language definition, syntax.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const [kind, word] = readWord(text, at);
    if (kind !== 'space') tokens.push({ kind, text: word, at });
    if (kind === 'double' || kind === 'uint') checkNumber(kind, word, at);
    if (kind === 'string' || kind === 'bytes') checkText(kind, word, at);
    at += word.length;
  }
  return [...tokens, { kind: 'end', text: '', at }];
}

function readWord(text: string, at: number): [Token['kind'] | 'space', string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [word] = pattern.exec(text) ?? [];
    if (word !== undefined) return [kind, word];
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  throw new ExpressionProblem(
    at,
    /["']/.test(character)
      ? 'syntax error: the string that begins here is not terminated'
      : `syntax error: unexpected character ${JSON.stringify(character)}`,
  );
}
