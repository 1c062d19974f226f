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

/** Room for every repeat that RE2 allows, and little enough that hundreds of ids take a moment at most. */
const maxSteps = 2000;
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
  /** At which character each step was last added, plus one: so no step is gone through twice there. */
  const added = new Uint32Array(steps.length);
  let active: number[] = [];
  for (let at = 0; at <= points.length; at += 1) {
    const add = (index: number) => {
      if (added[index] === at + 1) return;
      added[index] = at + 1;
      active.push(index);
    };
    add(0);
    const next: number[] = [];
    // The list grows while it is walked.
    for (let position = 0; position < active.length; position += 1) {
      const index = active[position] as number;
      const step = steps[index] as Step;
      if (step.kind === 'match') return true;
      if (step.kind === 'fork') step.targets.forEach(add);
      else if (step.kind === 'assertion') {
        if (isAt(step.assertion, points, at)) add(index + 1);
      } else if (at < points.length && step.test(points[at] as number)) next.push(index + 1);
    }
    // What waits for the next character was reached once each, for each has one step before it.
    active = next;
    for (const index of next) added[index] = at + 2;
  }
  return false;
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
