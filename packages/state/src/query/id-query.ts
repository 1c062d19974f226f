import { Fault } from '@nodewright/fault';
import { compileExpression } from './expression/compile-expression.ts';
import { ExpressionError } from './expression/syntax.ts';

/** An expression in RE2 syntax that may match anywhere in the id. */
export interface IdQuery {
  readonly regexp: string;
}

/** @throws Fault `invalid-argument` for an expression with invalid syntax */
export function compileIdQuery({ regexp }: IdQuery): (id: string) => boolean {
  try {
    return compileExpression(regexp);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new Fault('invalid-argument', `invalid expression for ids "${regexp}": ${error.message}`);
  }
}
