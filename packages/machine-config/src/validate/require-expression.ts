import { checkExpression, type EnvironmentName } from '../cel/check-expression.ts';
import type { CheckedDocument } from './checked-document.ts';

/** Requires an expression that is valid in its environment and has the type `bool`. */
export function requireExpression(
  document: CheckedDocument,
  environment: EnvironmentName,
  path: readonly string[],
): void {
  if (!document.require(...path)) return;
  const problem = checkExpression(document.text(...path), environment, 'bool');
  if (problem !== undefined) document.refuse(problem, ...path);
}
