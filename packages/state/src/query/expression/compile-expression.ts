// Ids are searched with expressions of callers. JavaScript's own would let any of them keep the process busy for ever
// with a few characters; here the time is bounded by the size of the expression times the length of the id.
import { isWord } from './character-classes.ts';
import { parseExpression } from './parse-expression.ts';
import { type Assertion, type CharacterTest, ExpressionError, type Syntax } from './syntax.ts';

type Step =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  /** Goes on at all of these at once. */
  | { readonly kind: 'fork'; readonly targets: number[] }
  | { readonly kind: 'match' };

const maxSteps = 20_000;
/** Classes of characters with very many members would cost more than their one step. */
const maxCharacters = 10_000;

/**
 * A function that says whether the expression is found anywhere in a text.
 *
 * @throws ExpressionError when the expression is not one of RE2's, or too large
 */
export function compileExpression(text: string): (candidate: string) => boolean {
  if (text.length > maxCharacters) throw new ExpressionError('too large');
  const steps: Step[] = [];
  emit(parseExpression(text), steps);
  push(steps, { kind: 'match' });
  return (candidate) => search(steps, candidate);
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
  for (let count = 0; count < min; count += 1) {
    const before = steps.length;
    emit(part, steps);
    // Nothing any number of times is nothing, and nested repeats of it would never end.
    if (steps.length === before) break;
  }
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

/** Walks all alternatives in step, character by character. */
function search(steps: readonly Step[], text: string): boolean {
  const points = [...text].map((character) => character.codePointAt(0) as number);
  let active = new Set<number>();
  for (let at = 0; at <= points.length; at += 1) {
    active.add(0);
    const waiting = settle(steps, active, points, at);
    if (waiting === 'match') return true;
    active = new Set();
    const point = points[at];
    if (point === undefined) return false;
    for (const index of waiting) {
      const step = steps[index] as Step & { kind: 'character' };
      if (step.test(point)) active.add(index + 1);
    }
  }
  return false;
}

/** The steps that wait for a character once everything that takes none has been gone through. */
function settle(
  steps: readonly Step[],
  from: ReadonlySet<number>,
  points: readonly number[],
  at: number,
): number[] | 'match' {
  const seen = new Set(from);
  const waiting: number[] = [];
  // A set grows while it is walked: what is added is visited, each step once.
  for (const index of seen) {
    const step = steps[index] as Step;
    if (step.kind === 'match') return 'match';
    if (step.kind === 'character') waiting.push(index);
    else if (step.kind === 'fork') for (const target of step.targets) seen.add(target);
    else if (isAt(step.assertion, points, at)) seen.add(index + 1);
  }
  return waiting;
}

function isAt(assertion: Assertion, points: readonly number[], at: number): boolean {
  const [before, after] = [points[at - 1], points[at]];
  const isWordEdge = isWord(before ?? 0) !== isWord(after ?? 0);
  switch (assertion) {
    case 'text-start':
      return before === undefined;
    case 'text-end':
      return after === undefined;
    case 'line-start':
      return before === undefined || before === 10;
    case 'line-end':
      return after === undefined || after === 10;
    case 'word-edge':
      return isWordEdge;
    case 'no-word-edge':
      return !isWordEdge;
  }
}
