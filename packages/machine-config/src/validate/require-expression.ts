import { checkExpression, type ExpressionEnvironment } from '../cel/check-expression.ts';
import type { CheckedDocument } from './checked-document.ts';

/** The text there must be an expression that says yes or no. */
export function requireExpression(
  document: CheckedDocument,
  environment: ExpressionEnvironment,
  path: readonly string[],
): void {
  if (!document.require(...path)) return;
  const problem = checkExpression(document.text(...path), environment, 'bool');
  if (problem !== undefined) document.refuse(problem, ...path);
}
