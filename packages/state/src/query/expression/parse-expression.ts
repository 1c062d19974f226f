import {
  anyCharacter,
  type ClassItem,
  mergedRanges,
  notNewline,
  otherRanges,
  perlClasses,
  posixClasses,
  unicodeProperty,
} from './character-classes.ts';
import { type Assertion, type CharacterRange, ExpressionError, type Syntax } from './syntax.ts';

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
}

/** The largest repeat count of RE2. */
const maxRepeat = 1000;
const maxDepth = 200;
/** Ranges of all classes together. Enough for two ranges in each step that an expression may have. */
const maxRanges = 4000;
/** How many ranges a property of Unicode counts for: the engine compiles it, and tests it more slowly. */
const rangesOfProperty = 100;

const escapedCharacters: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const escapedAssertions: Readonly<Record<string, Assertion>> = {
  A: 'text-start',
  z: 'text-end',
  b: 'word-edge',
  B: 'no-word-edge',
};
/**
 * Parses an expression in RE2 syntax, which has no back-references and no look-around.
 *
 * @throws ExpressionError
 */
export function parseExpression(text: string): Syntax {
  const parser = new Parser([...text]);
  return parser.parse();
}

class Parser {
  readonly #text: readonly string[];
  #at = 0;
  #depth = 0;
  #ranges = 0;
  readonly #properties = new Map<string, RegExp>();
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false };

  constructor(text: readonly string[]) {
    this.#text = text;
  }

  parse(): Syntax {
    const syntax = this.#choice();
    if (this.#peek() !== undefined) throw new ExpressionError('unexpected )');
    return syntax;
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #next(): string {
    const character = this.#text[this.#at++];
    if (character === undefined) throw new ExpressionError('unexpected end');
    return character;
  }

  /** Skips `words` when the input continues with them. */
  #skip(words: string): boolean {
    const found = [...words].every((character, offset) => this.#text[this.#at + offset] === character);
    if (found) this.#at += words.length;
    return found;
  }

  #until(end: string): string {
    let text = '';
    while (!this.#skip(end)) text += this.#next();
    return text;
  }

  #choice(): Syntax {
    if (++this.#depth > maxDepth) throw new ExpressionError('nested too deeply');
    const flags = this.#flags;
    const parts = [this.#sequence()];
    while (this.#skip('|')) parts.push(this.#sequence());
    this.#flags = flags;
    this.#depth -= 1;
    return parts.length === 1 ? (parts[0] as Syntax) : { kind: 'choice', parts };
  }

  #sequence(): Syntax {
    const parts: Syntax[] = [];
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      if (this.#skip('\\Q')) parts.push(...this.#quoted());
      else parts.push(this.#repeated(this.#atom()));
    }
    return inSequence(parts);
  }

  #quoted(): Syntax[] {
    const parts: Syntax[] = [];
    while (this.#peek() !== undefined && !this.#skip('\\E')) parts.push(this.#literal(this.#next()));
    return parts;
  }

  #repeated(part: Syntax): Syntax {
    let result = part;
    for (let count = this.#count(); count !== undefined; count = this.#count()) {
      this.#skip('?');
      result = repeated(result, count);
    }
    return result;
  }

  #count(): { min: number; max: number } | undefined {
    if (this.#skip('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#skip('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#skip('?')) return { min: 0, max: 1 };
    if (this.#peek() !== '{') return undefined;
    const rest = this.#text.slice(this.#at, this.#at + 16).join('');
    const match = /^\{(\d+)(,?)(\d*)\}/.exec(rest);
    if (match === null) return undefined;
    this.#at += match[0].length;
    const [, from = '', comma, to = ''] = match;
    const min = Number(from);
    const max = to !== '' ? Number(to) : comma === '' ? min : Number.POSITIVE_INFINITY;
    if (min > maxRepeat || (max > maxRepeat && to !== '') || max < min) {
      throw new ExpressionError(`invalid repeat count ${match[0]}`);
    }
    return { min, max };
  }

  #literal(character: string): Syntax {
    return this.#character({ ranges: [onlyPoint(character.codePointAt(0) as number)] });
  }

  #character({ ranges, properties = [] }: ClassItem, isNegated = false): Syntax {
    this.#ranges += ranges.length;
    if (this.#ranges > maxRanges) throw new ExpressionError('too many ranges of characters');
    const { ignoreCase: ignoresCase } = this.#flags;
    return { kind: 'character', accepts: { ranges, properties, isNegated, ignoresCase } };
  }

  #atom(): Syntax {
    const { multiLine, dotAll } = this.#flags;
    const character = this.#next();
    switch (character) {
      case '(':
        return this.#group();
      case '[':
        return this.#bracket();
      case '.':
        return this.#character({ ranges: dotAll ? anyCharacter : notNewline });
      case '^':
        return { kind: 'assertion', assertion: multiLine ? 'line-start' : 'text-start' };
      case '$':
        return { kind: 'assertion', assertion: multiLine ? 'line-end' : 'text-end' };
      case '*':
      case '+':
      case '?':
        throw new ExpressionError(`nothing to repeat before ${character}`);
      case '\\': {
        const assertion = escapedAssertions[this.#peek() ?? ''];
        if (assertion === undefined) return this.#character(this.#escape());
        this.#next();
        return { kind: 'assertion', assertion };
      }
      default:
        return this.#literal(character);
    }
  }

  #group(): Syntax {
    const outer = this.#flags;
    if (this.#skip('?')) {
      if (this.#skip('P<') || this.#skip('<')) {
        const name = this.#until('>');
        if (!/^\w+$/.test(name)) throw new ExpressionError(`invalid group name "${name}"`);
      } else if (this.#setFlags()) return { kind: 'empty' };
    }
    const syntax = this.#choice();
    if (!this.#skip(')')) throw new ExpressionError('missing )');
    this.#flags = outer;
    return syntax;
  }

  /**
   * Parses `?i-s:` and `?i)`. Returns true when the group has only flags, which then apply to the rest of the
   * enclosing group.
   */
  #setFlags(): boolean {
    let value = true;
    for (;;) {
      const flag = this.#next();
      if (flag === ')' || flag === ':') return flag === ')';
      if (flag === '-') value = false;
      else if (flag === 'i') this.#flags = { ...this.#flags, ignoreCase: value };
      else if (flag === 'm') this.#flags = { ...this.#flags, multiLine: value };
      else if (flag === 's') this.#flags = { ...this.#flags, dotAll: value };
      else if (flag !== 'U') throw new ExpressionError(`invalid group (?${flag}`);
    }
  }

  /** Parses what follows a backslash, outside a class or inside it. */
  #escape(): ClassItem {
    const character = this.#next();
    const ranges = perlClasses[character];
    if (ranges !== undefined) return { ranges };
    if (character === 'p' || character === 'P') {
      const name = this.#skip('{') ? this.#until('}') : this.#next();
      const isNegated = (character === 'P') !== name.startsWith('^');
      return { ranges: [], properties: [{ pattern: this.#property(name.replace(/^\^/, '')), isNegated }] };
    }
    return { ranges: [onlyPoint(this.#escapedPoint(character))] };
  }

  #property(name: string): RegExp {
    this.#ranges += rangesOfProperty;
    if (this.#ranges > maxRanges) throw new ExpressionError('too many ranges of characters');
    const pattern = this.#properties.get(name) ?? unicodeProperty(name);
    this.#properties.set(name, pattern);
    return pattern;
  }

  #escapedPoint(character: string): number {
    if (character === 'x') {
      const digits = this.#skip('{') ? this.#until('}') : this.#next() + this.#next();
      const point = Number.parseInt(digits, 16);
      if (!/^[0-9a-f]+$/i.test(digits) || point > 0x10ffff) throw new ExpressionError(`invalid \\x${digits}`);
      return point;
    }
    const control = escapedCharacters[character];
    if (control !== undefined) return control;
    if (/[0-9A-Za-z]/.test(character)) throw new ExpressionError(`invalid escape \\${character}`);
    return character.codePointAt(0) as number;
  }

  #bracket(): Syntax {
    const isNegated = this.#skip('^');
    const items: ClassItem[] = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) items.push(this.#bracketItem());
    this.#next();
    const ranges = mergedRanges(items.flatMap((item) => item.ranges));
    return this.#character({ ranges, properties: items.flatMap((item) => item.properties ?? []) }, isNegated);
  }

  #bracketItem(): ClassItem {
    if (this.#skip('[:')) {
      const name = this.#until(':]');
      const ranges = posixClasses[name.replace(/^\^/, '')];
      if (ranges === undefined) throw new ExpressionError(`invalid class [:${name}:]`);
      return { ranges: name.startsWith('^') ? otherRanges(ranges) : ranges };
    }
    const isClass = this.#peek() === '\\' && /[dDsSwWpP]/.test(this.#text[this.#at + 1] ?? '');
    if (isClass) {
      this.#next();
      return this.#escape();
    }
    const from = this.#bracketPoint();
    if (this.#peek() !== '-' || this.#text[this.#at + 1] === ']') return { ranges: [onlyPoint(from)] };
    this.#next();
    const to = this.#bracketPoint();
    if (to < from) throw new ExpressionError('invalid range in a class of characters');
    return { ranges: [[from, to]] };
  }

  #bracketPoint(): number {
    const character = this.#next();
    return character === '\\' ? this.#escapedPoint(this.#next()) : (character.codePointAt(0) as number);
  }
}

function onlyPoint(point: number): CharacterRange {
  return [point, point];
}

/** Leaves out what matches the empty text: compiling it again for each repeat takes time and adds no step. */
function inSequence(parts: readonly Syntax[]): Syntax {
  const rest = parts.filter(({ kind }) => kind !== 'empty');
  if (rest.length > 1) return { kind: 'sequence', parts: rest };
  return rest[0] ?? { kind: 'empty' };
}

function repeated(part: Syntax, { min, max }: { readonly min: number; readonly max: number }): Syntax {
  if (part.kind === 'empty' || max === 0) return { kind: 'empty' };
  return min === 1 && max === 1 ? part : { kind: 'repeat', part, min, max };
}
