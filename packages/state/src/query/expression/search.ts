import type { QueryWork } from '../query-work.ts';
import { isInRanges, isWord } from './character-classes.ts';
import type { Assertion, CharacterClass } from './syntax.ts';

export type Step =
  | { readonly kind: 'character'; readonly accepts: CharacterClass; readonly work: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  /** Continues at all of these steps at once. */
  | { readonly kind: 'fork'; readonly targets: number[] }
  | { readonly kind: 'match' };

/** A test of a property takes as long as so many other steps. */
const propertyWork = 8;
/** With the case ignored, a class is also tested with the lower and the upper case of the character. */
const caseWork = 12;

export function workOf({ properties, ignoresCase }: CharacterClass): number {
  return (1 + properties.length * propertyWork) * (ignoresCase ? caseWork : 1);
}

/** What the search does once for each character takes as long as so many steps. */
const characterWork = 2;
/** The edge of a word needs the characters on both sides. */
const assertionWork = 2;

/** A search for a match anywhere in a text. It follows all alternatives in parallel, character by character. */
export class Search {
  readonly #steps: readonly Step[];
  readonly #work: QueryWork;
  /** Nothing can match behind the start. */
  readonly #isAnchored: boolean;
  /** The character at which each step was last added, plus one: no step is visited twice for a character. */
  readonly #added: Uint32Array;
  #active: Uint16Array;
  #activeCount = 0;
  #next: Uint16Array;
  #nextCount = 0;

  /** @param steps at most 65,535 */
  constructor(steps: readonly Step[], work: QueryWork) {
    this.#steps = steps;
    this.#work = work;
    const [first] = steps;
    this.#isAnchored = first?.kind === 'assertion' && first.assertion === 'text-start';
    this.#added = new Uint32Array(steps.length);
    this.#active = new Uint16Array(steps.length);
    this.#next = new Uint16Array(steps.length);
  }

  /** @throws what the work throws */
  matches(text: string): boolean {
    const points = Array.from(text, (character) => character.codePointAt(0) as number);
    this.#added.fill(0);
    this.#activeCount = 0;
    for (let at = 0; at <= points.length; at += 1) {
      if (at === 0 || !this.#isAnchored) this.#add(0, at);
      if (this.#activeCount === 0 && this.#isAnchored) return false;
      if (this.#visit(points, at)) return true;
      [this.#active, this.#next] = [this.#next, this.#active];
      this.#activeCount = this.#nextCount;
      // Each step that consumes a character has exactly one predecessor, so it was added only once.
      for (let index = 0; index < this.#activeCount; index += 1)
        this.#added[this.#active[index] as number] = at + 2;
    }
    return false;
  }

  #add(index: number, at: number): void {
    if (this.#added[index] === at + 1) return;
    this.#added[index] = at + 1;
    this.#active[this.#activeCount++] = index;
  }

  /** Takes all steps that are possible at one character. Returns true for a match. */
  #visit(points: readonly number[], at: number): boolean {
    this.#work.spend(characterWork);
    const point = points[at];
    this.#nextCount = 0;
    // The list grows during the loop.
    for (let position = 0; position < this.#activeCount; position += 1) {
      const index = this.#active[position] as number;
      const step = this.#steps[index] as Step;
      if (step.kind === 'match') return true;
      if (step.kind === 'fork') {
        this.#work.spend(1 + step.targets.length);
        for (const target of step.targets) this.#add(target, at);
      } else if (step.kind === 'assertion') {
        this.#work.spend(assertionWork);
        if (isAt(step.assertion, points, at)) this.#add(index + 1, at);
      } else {
        this.#work.spend(step.work);
        if (point !== undefined && accepts(step.accepts, point)) this.#next[this.#nextCount++] = index + 1;
      }
    }
    return false;
  }
}

function accepts(characters: CharacterClass, point: number): boolean {
  const { isNegated, ignoresCase } = characters;
  if (isListed(characters, point)) return !isNegated;
  if (!ignoresCase) return isNegated;
  const text = String.fromCodePoint(point);
  return (
    (isListed(characters, text.toLowerCase().codePointAt(0) as number) ||
      isListed(characters, text.toUpperCase().codePointAt(0) as number)) !== isNegated
  );
}

function isListed({ ranges, properties }: CharacterClass, point: number): boolean {
  if (isInRanges(ranges, point)) return true;
  for (const { pattern, isNegated } of properties)
    if (pattern.test(String.fromCodePoint(point)) !== isNegated) return true;
  return false;
}

function isAt(assertion: Assertion, points: readonly number[], at: number): boolean {
  const before = points[at - 1];
  const after = points[at];
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
      return isWord(before ?? 0) !== isWord(after ?? 0);
    case 'no-word-edge':
      return isWord(before ?? 0) === isWord(after ?? 0);
  }
}
