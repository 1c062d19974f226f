import { checkExpression, type EnvironmentName } from '../cel/check-expression.ts';
import type { CheckedDocument } from './checked-document.ts';

/** Refuses an absent expression, and one that does not give a bool in its environment. */
export function requireExpression(
  document: CheckedDocument,
  environment: EnvironmentName,
  path: readonly string[],
): void {
  if (!document.require(...path)) return;
  const problem = checkExpression(document.text(...path), environment, 'bool');
  if (problem !== undefined) document.refuse(problem, ...path);
}
