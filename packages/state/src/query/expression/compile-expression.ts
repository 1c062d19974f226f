// Callers choose the expressions that ids are matched with. JavaScript's own expressions would let a caller
// block the process with a few characters. Here the time is bounded by the size of the expression times the
// length of the id.

import type { QueryWork } from '../query-work.ts';
import { parseExpression } from './parse-expression.ts';
import { Search, type Step, workOf } from './search.ts';
import { ExpressionError, type Syntax } from './syntax.ts';

/** Enough for every repeat that RE2 allows, and small enough that matching hundreds of ids takes a moment. */
const maxSteps = 2000;
/** Parsing takes time, too. */
const maxCharacters = 10_000;

/**
 * Returns a function that reports whether the expression matches anywhere in a text. It charges its steps to `work`,
 * and throws what that throws.
 *
 * @throws ExpressionError when the expression is not valid RE2 syntax, or too large
 */
export function compileExpression(text: string, work: QueryWork): (candidate: string) => boolean {
  if (text.length > maxCharacters) throw new ExpressionError('too large');
  const steps: Step[] = [];
  emit(parseExpression(text), steps);
  push(steps, { kind: 'match' });
  const search = new Search(steps, work);
  return (candidate) => search.matches(candidate);
}

function push(steps: Step[], step: Step): number {
  if (steps.length >= maxSteps) throw new ExpressionError('too large');
  return steps.push(step) - 1;
}

function emit(syntax: Syntax, steps: Step[]): void {
  switch (syntax.kind) {
    case 'empty':
      return;
    case 'character':
      push(steps, { ...syntax, work: workOf(syntax.accepts) });
      return;
    case 'assertion':
      push(steps, syntax);
      return;
    case 'sequence':
      for (const part of syntax.parts) emit(part, steps);
      return;
    case 'choice':
      emitChoice(syntax.parts, steps);
      return;
    case 'repeat':
      emitRepeat(syntax, steps);
      return;
  }
}

function emitChoice(parts: readonly Syntax[], steps: Step[]): void {
  const fork: number[] = [];
  push(steps, { kind: 'fork', targets: fork });
  const ends: number[][] = [];
  for (const part of parts) {
    fork.push(steps.length);
    emit(part, steps);
    const end: number[] = [];
    push(steps, { kind: 'fork', targets: end });
    ends.push(end);
  }
  for (const end of ends) end.push(steps.length);
}

function emitRepeat({ part, min, max }: Syntax & { kind: 'repeat' }, steps: Step[]): void {
  for (let count = 0; count < min; count += 1) emit(part, steps);
  if (max === Number.POSITIVE_INFINITY) {
    const fork: number[] = [];
    const at = push(steps, { kind: 'fork', targets: fork });
    fork.push(steps.length);
    emit(part, steps);
    push(steps, { kind: 'fork', targets: [at] });
    fork.push(steps.length);
    return;
  }
  const forks: number[][] = [];
  for (let count = min; count < max; count += 1) {
    const fork: number[] = [];
    push(steps, { kind: 'fork', targets: fork });
    fork.push(steps.length);
    emit(part, steps);
    forks.push(fork);
  }
  for (const fork of forks) fork.push(steps.length);
}
