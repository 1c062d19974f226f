import { Fault } from '@nodewright/fault';
import { compileExpression } from './expression/compile-expression.ts';
import { ExpressionError } from './expression/syntax.ts';
import type { QueryWork } from './query-work.ts';

/** An expression in RE2 syntax that may match anywhere in the id. */
export interface IdQuery {
  readonly regexp: string;
}

/** A watch matches the same ids again and again. */
const maxRememberedIds = 1_000;

/**
 * Charges what the expression takes to `work`; an id that was matched before takes nothing.
 *
 * @throws Fault `invalid-argument` for an expression with invalid syntax
 */
export function compileIdQuery({ regexp }: IdQuery, work: QueryWork): (id: string) => boolean {
  const matches = compileForIds(regexp, work);
  const remembered = new Map<string, boolean>();
  return (id) => {
    const known = remembered.get(id);
    if (known !== undefined) return known;
    const isMatch = matches(id);
    if (remembered.size >= maxRememberedIds) remembered.clear();
    remembered.set(id, isMatch);
    return isMatch;
  };
}

function compileForIds(regexp: string, work: QueryWork): (id: string) => boolean {
  try {
    return compileExpression(regexp, work);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new Fault('invalid-argument', `invalid expression for ids "${regexp}": ${error.message}`);
  }
}
