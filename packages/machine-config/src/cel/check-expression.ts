import { checkTypes } from './checker/check-types.ts';
import { type EnvironmentName, environmentOf } from './declarations/environments.ts';
import { ExpressionProblem, formatPosition } from './expression-problem.ts';
import { maxExpressionLength, maxProblemLength, maxReportedProblems } from './limits.ts';
import { parseExpression } from './parser.ts';

export type { EnvironmentName } from './declarations/environments.ts';

/**
 * Either the type of an expression, or its problems as one text, with positions `line:column` that start at
 * 1.
 */
export type ExpressionResult = { readonly type: string } | { readonly problem: string };

/**
 * Returns the type of a CEL expression in the environment of a field, without evaluating it.
 *
 * Source: Common Expression Language, language definition; Talos v1.14: machine configuration, CEL
 * environments.
 */
export function typeOfExpression(text: string, name: EnvironmentName): ExpressionResult {
  if (text.length > maxExpressionLength)
    return { problem: `the expression is longer than ${maxExpressionLength} characters` };
  try {
    const environment = environmentOf(name);
    const { type, problems } = checkTypes(parseExpression(text, environment), environment);
    return problems.length === 0 ? { type } : { problem: formatProblems(text, problems) };
  } catch (error) {
    if (error instanceof ExpressionProblem) return { problem: formatProblems(text, [error]) };
    throw error;
  }
}

function formatProblems(text: string, problems: readonly ExpressionProblem[]): string {
  const lines = problems
    .slice(0, maxReportedProblems)
    .map(({ at, message }) => `${formatPosition(text, at)}: ${cut(message)}`);
  const more = problems.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

const cut = (message: string) =>
  message.length > maxProblemLength ? `${message.slice(0, maxProblemLength)}…` : message;

/**
 * Returns the problem of a field's expression as the end of a sentence about the field. Returns `undefined`
 * when the expression is well typed and has the wanted type.
 */
export function checkExpression(
  text: string,
  environment: EnvironmentName,
  wanted: 'bool' | 'double',
): string | undefined {
  const result = typeOfExpression(text, environment);
  if ('problem' in result) return `is not a valid expression: ${result.problem}`;
  if (result.type === wanted) return undefined;
  return `must be an expression of type ${wanted}: this one is of type ${result.type}`;
}
