/** A position in a text that consumes no character. */
export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-edge' | 'no-word-edge';

/** The nodes of a parsed expression. */
export type Syntax =
  | { readonly kind: 'empty' }
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'repeat'; readonly part: Syntax; readonly min: number; readonly max: number };

/** Whether a code point matches. */
export type CharacterTest = (codePoint: number) => boolean;

/** An expression with invalid syntax. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}
