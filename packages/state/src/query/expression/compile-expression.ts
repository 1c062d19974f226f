// Callers choose the expressions that ids are matched with. JavaScript's own expressions would let a caller
// block the process with a few characters. Here the time is bounded by the size of the expression times the
// length of the id.
import { isWord } from './character-classes.ts';
import { parseExpression } from './parse-expression.ts';
import { type Assertion, type CharacterTest, ExpressionError, type Syntax } from './syntax.ts';

type Step =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  /** Continues at all of these steps at once. */
  | { readonly kind: 'fork'; readonly targets: number[] }
  | { readonly kind: 'match' };

/** Enough for every repeat that RE2 allows, and small enough that matching hundreds of ids takes a moment. */
const maxSteps = 2000;
/** A class with very many members costs more than one step, so its size is limited. */
const maxCharacters = 10_000;

/**
 * Returns a function that reports whether the expression matches anywhere in a text.
 *
 * @throws ExpressionError when the expression is not valid RE2 syntax, or too large
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
    // A repeat of an empty expression matches the empty text. Compiling nested ones would never end.
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

/** Follows all alternatives in parallel, character by character. */
function search(steps: readonly Step[], text: string): boolean {
  const points = [...text].map((character) => character.codePointAt(0) as number);
  /**
   * The character at which each step was last added, plus one. It prevents visiting a step twice per
   * character.
   */
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
    // The list grows during the loop.
    for (let position = 0; position < active.length; position += 1) {
      const index = active[position] as number;
      const step = steps[index] as Step;
      if (step.kind === 'match') return true;
      if (step.kind === 'fork') step.targets.forEach(add);
      else if (step.kind === 'assertion') {
        if (isAt(step.assertion, points, at)) add(index + 1);
      } else if (at < points.length && step.test(points[at] as number)) next.push(index + 1);
    }
    // Each step that consumes a character has exactly one predecessor, so it was added only once.
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
