/** One word of an expression. `at` counts characters from 0. */
export interface Token {
  readonly kind: 'name' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'sign' | 'end';
  readonly text: string;
  readonly at: number;
}

/** What is wrong with an expression. */
export class ExpressionProblem extends Error {}

const patterns: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /\s+|\/\/[^\n]*/y],
  ['bytes', /[bB][rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/y],
  ['string', /[rR]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/y],
  ['double', /(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)/y],
  ['uint', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['int', /0x[0-9a-fA-F]+|\d+/y],
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['sign', /&&|\|\||[=!<>]=|[-+*/%!<>?:.,()[\]{}]/y],
];

/**
 * The words of an expression, an `end` last. Throws ExpressionProblem at a character without meaning.
 *
 * Source: Common Expression Language, syntax.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const [kind, word] = wordAt(text, at);
    if (kind !== 'space') tokens.push({ kind, text: word, at });
    at += word.length;
  }
  return [...tokens, { kind: 'end', text: '', at }];
}

function wordAt(text: string, at: number): [Token['kind'] | 'space', string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const [word] = pattern.exec(text) ?? [];
    if (word !== undefined) return [kind, word];
  }
  throw new ExpressionProblem(`has a character without meaning at ${at + 1}`);
}
