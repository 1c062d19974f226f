/** A position in a text that consumes no character. */
export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-edge' | 'no-word-edge';

/** The nodes of a parsed expression. Each of them except `empty` needs at least one step to match. */
export type Syntax =
  | { readonly kind: 'empty' }
  | { readonly kind: 'character'; readonly accepts: CharacterClass }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'repeat'; readonly part: Syntax; readonly min: number; readonly max: number };

/** First and last code point. */
export type CharacterRange = readonly [first: number, last: number];

/** A property of Unicode, which only the engine knows as ranges. */
export interface CharacterProperty {
  readonly pattern: RegExp;
  readonly isNegated: boolean;
}

/** The code points that a step accepts. */
export interface CharacterClass {
  /** In order, with gaps between them. */
  readonly ranges: readonly CharacterRange[];
  readonly properties: readonly CharacterProperty[];
  /** Accepts all others instead. Decided after the case of letters. */
  readonly isNegated: boolean;
  readonly ignoresCase: boolean;
}

/** An expression with invalid syntax. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}
