import type { Environment } from '../declarations/environment.ts';
import { ExpressionProblem } from '../expression-problem.ts';
import type { Expression } from '../syntax-tree.ts';
import { TooManySteps } from '../types/step-budget.ts';
import { plainType, type Type } from '../types/type.ts';
import { typeOfCall } from './check-call.ts';
import { CheckContext } from './check-context.ts';
import { typeOfList, typeOfMap, typeOfMessage } from './check-literal.ts';
import { typeOfComprehension, typeOfOptionalMapping } from './check-macro.ts';
import { typeOfName, typeOfSelection } from './check-name.ts';
import type { Scope } from './scope.ts';

/** The type of an expression as text, and its problems in the order of the text. */
export interface CheckedType {
  readonly type: string;
  readonly problems: readonly ExpressionProblem[];
}

/**
 * Infers the type of an expression without evaluating it.
 *
 * Source: Common Expression Language, language definition, gradual type checking.
 */
export function checkTypes(expression: Expression, environment: Environment): CheckedType {
  const context = new CheckContext(environment, typeOf);
  try {
    const type = context.substitution.resolve(context.typeOf(expression, undefined), true);
    return { type: context.format(type), problems: context.problems.toSorted((a, b) => a.at - b.at) };
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
    return { type: 'error', problems: [new ExpressionProblem(0, `too complex: ${error.message}`)] };
  }
}

function typeOf(context: CheckContext, expression: Expression, scope: Scope | undefined): Type {
  context.substitution.budget.spend();
  switch (expression.kind) {
    case 'literal':
      return plainType(expression.type);
    case 'name':
      return typeOfName(context, expression, scope);
    case 'selection':
      return typeOfSelection(context, expression, scope);
    case 'call':
      return typeOfCall(context, expression, scope);
    case 'logical-chain':
      for (const operand of expression.operands)
        context.require(context.typeOf(operand, scope), plainType('bool'), operand.at);
      return plainType('bool');
    case 'list':
      return typeOfList(context, expression, scope);
    case 'map':
      return typeOfMap(context, expression, scope);
    case 'message':
      return typeOfMessage(context, expression, scope);
    case 'comprehension':
      return typeOfComprehension(context, expression, scope);
    case 'optional-mapping':
      return typeOfOptionalMapping(context, expression, scope);
  }
}
