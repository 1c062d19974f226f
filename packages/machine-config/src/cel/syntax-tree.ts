import type { LiteralKind } from './tokens.ts';

/**
 * The base of all nodes. `at` counts UTF-16 code units from 0 and is the position of an operator, an opening
 * bracket or the first character of a word.
 */
interface Node {
  readonly at: number;
  /** Nesting depth, including this node. */
  readonly depth: number;
}

export interface Literal extends Node {
  readonly kind: 'literal';
  readonly type: LiteralKind | 'bool' | 'null_type';
}

export interface Name extends Node {
  readonly kind: 'name';
  readonly name: string;
  /** The name begins with a dot, so that macro variables do not hide it. */
  readonly isRooted: boolean;
}

/** `operand.field`, `operand.?field`, or `has(operand.field)`. */
export interface Selection extends Node {
  readonly kind: 'selection';
  readonly operand: Expression;
  readonly field: string;
  readonly mode: 'value' | 'optional' | 'presence';
}

/** A function, a method of `target`, or an operator by its CEL name such as `_+_`. */
export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expression;
  readonly arguments: readonly Expression[];
}

/** `a && b && c` as one flat node, because long chains are common. */
export interface LogicalChain extends Node {
  readonly kind: 'logical-chain';
  readonly operands: readonly Expression[];
}

/** `[a, ?b]`. An optional item without a value is omitted. */
export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly items: readonly { readonly value: Expression; readonly isOptional: boolean }[];
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly {
    readonly key: Expression;
    readonly value: Expression;
    readonly isOptional: boolean;
  }[];
}

/** A message literal: `name{field: value}`. */
export interface MessageLiteral extends Node {
  readonly kind: 'message';
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly value: Expression;
    readonly isOptional: boolean;
    readonly at: number;
  }[];
}

export type ComprehensionMacro = 'all' | 'exists' | 'exists_one' | 'map' | 'filter';

/** `range.all(variable, body)`. `condition` is the second of the three arguments of `map`. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly macro: ComprehensionMacro;
  readonly range: Expression;
  readonly variable: string;
  readonly condition?: Expression;
  readonly body: Expression;
}

export type OptionalMacro = 'optMap' | 'optFlatMap';

/** `optional.optMap(variable, body)`. */
export interface OptionalMapping extends Node {
  readonly kind: 'optional-mapping';
  readonly macro: OptionalMacro;
  readonly target: Expression;
  readonly variable: string;
  readonly body: Expression;
}

/** Source: Common Expression Language, language definition, syntax and macros. */
export type Expression =
  | Literal
  | Name
  | Selection
  | Call
  | LogicalChain
  | ListLiteral
  | MapLiteral
  | MessageLiteral
  | Comprehension
  | OptionalMapping;

/**
 * Returns the dotted name `a.b.c` of a chain of selections that starts with a name, otherwise `undefined`.
 */
export function qualifiedName(expression: Expression): string | undefined {
  const parts: string[] = [];
  let current = expression;
  while (current.kind === 'selection' && current.mode === 'value') {
    parts.push(current.field);
    current = current.operand;
  }
  if (current.kind !== 'name') return undefined;
  return [current.name, ...parts.reverse()].join('.');
}
