// What is evaluated, and what comes of it. The thread that asks loads only this, and none of the evaluator.
import type { EnvironmentName } from '../check-expression.ts';

/** Environments of expressions that select something. */
export type SelectorEnvironment = Extract<EnvironmentName, 'disk' | 'volume' | 'link'>;

/**
 * Variables by name. Messages are plain objects with the names of their fields, and whole numbers, whatever their type. Fields
 * that are missing have the default of their type.
 */
export type SelectorVariables = Readonly<Record<string, boolean | object>>;

/** An object that an expression may select. */
export interface SelectorCandidate {
  /** What it is called in problems, such as `/dev/sda`. */
  readonly name: string;
  readonly variables: SelectorVariables;
}

export interface SelectorRequest {
  readonly environment: SelectorEnvironment;
  /** The text of the configuration. */
  readonly expression: string;
  readonly candidates: readonly SelectorCandidate[];
}

/** The names of the candidates for which an expression is true, in their order; or why it selects nothing. */
export type Selection = { readonly selected: readonly string[] } | { readonly problem: string };

const maxQuoted = 100;

/** A sentence about a selector, which it quotes, shortened. */
export function selectorProblem({ expression }: Pick<SelectorRequest, 'expression'>, text: string): string {
  const quoted = expression.length > maxQuoted ? `${expression.slice(0, maxQuoted)}…` : expression;
  return `the selector ${JSON.stringify(quoted)} ${text}`;
}
