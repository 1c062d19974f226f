import type { Environment } from '../declarations/environment.ts';
import { ExpressionProblem } from '../expression-problem.ts';
import type { Expression } from '../syntax-tree.ts';
import { formatType } from '../types/format-type.ts';
import { Substitution } from '../types/substitution.ts';
import { plainType, type Type } from '../types/type.ts';
import type { Scope } from './scope.ts';

/** State that the checks of all parts of one expression share. */
export class CheckContext {
  readonly environment: Environment;
  readonly substitution = new Substitution();
  readonly problems: ExpressionProblem[] = [];
  /** Returns the type of any part of the expression. Checks of composite parts use it for their children. */
  readonly typeOf: (expression: Expression, scope: Scope | undefined) => Type;

  constructor(
    environment: Environment,
    typeOf: (context: CheckContext, expression: Expression, scope: Scope | undefined) => Type,
  ) {
    this.environment = environment;
    this.typeOf = (expression, scope) => typeOf(this, expression, scope);
  }

  /**
   * Reports a problem and returns the type `error`. That type is assignable to every other, so that no second
   * problem follows.
   */
  report(at: number, message: string): Type {
    this.problems.push(new ExpressionProblem(at, message));
    return plainType('error');
  }

  format(type: Type): string {
    return formatType(this.substitution.resolve(type), this.substitution.budget);
  }

  /** Reports a problem unless the value is assignable to the wanted type. */
  require(value: Type, wanted: Type, at: number): void {
    if (!this.substitution.isAssignable(value, wanted))
      this.report(at, `expected type '${this.format(wanted)}' but found '${this.format(value)}'`);
  }
}
