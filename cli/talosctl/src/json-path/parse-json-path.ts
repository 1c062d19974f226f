import { Fault } from '@nodewright/fault';

/** One step from a value to values in it. */
export type PathStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'every' }
  /** The value itself and all values below it. */
  | { readonly kind: 'descend' }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from?: number; readonly to?: number; readonly step: number }
  | { readonly kind: 'any-of'; readonly steps: readonly PathStep[] }
  | { readonly kind: 'filter'; readonly left: Operand; readonly right?: Comparison };

export interface Comparison {
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=';
  readonly operand: Operand;
}

/** A path from the item under test, or a literal. */
export type Operand =
  | { readonly path: readonly PathStep[] }
  | { readonly value: string | number | boolean | null };

/**
 * A part of a template: text, a path in braces, or a body that is repeated for each item that a path selects.
 */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'path'; readonly steps: readonly PathStep[] }
  | { readonly kind: 'range'; readonly steps: readonly PathStep[]; readonly body: readonly TemplatePart[] };

const operators = ['==', '!=', '<=', '>=', '<', '>'] as const;

/**
 * Reads a template such as `{.metadata.id}` or `{.status[?(@.type=="Ready")].value}`: the language of
 * kubectl, with `{range .a[*]}…{end}`.
 *
 * @throws Fault `invalid-argument` that names the position of the error
 */
export function parseJsonPath(template: string): TemplatePart[] {
  return new Parser(template).template();
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param isBody whether the parts are inside a range, which `{end}` ends */
  template(isBody = false): TemplatePart[] {
    const parts: TemplatePart[] = [];
    while (this.#at < this.#text.length) {
      const text = this.#take(/[^{]+/y);
      if (text !== undefined) {
        parts.push({ kind: 'text', text });
      } else if (isBody && this.#take(/\{\s*end\s*\}/y) !== undefined) {
        return parts;
      } else {
        parts.push(this.#expression());
      }
    }
    if (isBody) throw this.#fault('"{end}" was expected');
    return parts;
  }

  #expression(): TemplatePart {
    this.#expect('{');
    this.#take(/\s+/y);
    if (this.#take(/range(?=[\s.$@[])/y) !== undefined) return this.#range();
    const literal = this.#quoted();
    const part: TemplatePart =
      literal === undefined ? { kind: 'path', steps: this.#path() } : { kind: 'text', text: literal };
    this.#take(/\s+/y);
    this.#expect('}');
    return part;
  }

  #range(): TemplatePart {
    this.#take(/\s+/y);
    const steps = this.#path();
    this.#take(/\s+/y);
    this.#expect('}');
    return { kind: 'range', steps, body: this.template(true) };
  }

  #path(): PathStep[] {
    this.#take(/[$@]/y);
    const steps: PathStep[] = [];
    for (;;) {
      if (this.#skip('..')) {
        steps.push({ kind: 'descend' });
        if (this.#peek() !== '[') steps.push(this.#name());
      } else if (this.#skip('.')) {
        // A single dot is the value itself.
        if (steps.length > 0 || /[^\s}\])=!<>[]/.test(this.#peek())) steps.push(this.#name());
      } else if (this.#skip('[')) {
        steps.push(this.#subscript());
      } else return steps;
    }
  }

  #name(): PathStep {
    if (this.#skip('*')) return { kind: 'every' };
    const name = this.#take(/(?:\\.|[^\s.[\](){}=!<>,?@$*"'\\])+/y);
    if (name === undefined) throw this.#fault('a name was expected');
    return { kind: 'key', key: name.replace(/\\(.)/g, '$1') };
  }

  #subscript(): PathStep {
    if (this.#skip('?(')) {
      const filter = this.#filter();
      this.#expect(')]');
      return filter;
    }
    const steps = [this.#subscriptItem()];
    while (this.#skip(',')) steps.push(this.#subscriptItem());
    this.#expect(']');
    return steps.length === 1 ? (steps[0] as PathStep) : { kind: 'any-of', steps };
  }

  #subscriptItem(): PathStep {
    if (this.#skip('*')) return { kind: 'every' };
    const key = this.#quoted();
    if (key !== undefined) return { kind: 'key', key };
    const from = this.#number();
    if (!this.#skip(':')) {
      if (from === undefined) throw this.#fault('an index was expected');
      return { kind: 'index', index: from };
    }
    const to = this.#number();
    const step = this.#skip(':') ? this.#number() : undefined;
    if (step !== undefined && step < 1) throw this.#fault('the step of a slice must be positive');
    return { kind: 'slice', from, to, step: step ?? 1 };
  }

  #filter(): PathStep {
    const left = this.#operand();
    const operator = operators.find((text) => this.#skip(text));
    if (operator === undefined) return { kind: 'filter', left };
    return { kind: 'filter', left, right: { operator, operand: this.#operand() } };
  }

  #operand(): Operand {
    this.#take(/\s+/y);
    const operand = this.#bareOperand();
    this.#take(/\s+/y);
    return operand;
  }

  #bareOperand(): Operand {
    const quoted = this.#quoted();
    if (quoted !== undefined) return { value: quoted };
    const word = this.#take(/(?:true|false|null|-?\d+(?:\.\d+)?)(?![\w.])/y);
    return word === undefined ? { path: this.#path() } : { value: JSON.parse(word) };
  }

  #number(): number | undefined {
    const text = this.#take(/-?\d{1,9}/y);
    return text === undefined ? undefined : Number(text);
  }

  #quoted(): string | undefined {
    const text = this.#take(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/y);
    return text?.slice(1, -1).replace(/\\(.)/g, (_, character) => escapes[character] ?? character);
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #skip(text: string): boolean {
    const found = this.#text.startsWith(text, this.#at);
    if (found) this.#at += text.length;
    return found;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #expect(text: string): void {
    if (!this.#skip(text)) throw this.#fault(`"${text}" was expected`);
  }

  #fault(what: string): Fault {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    const where = rest === '' ? 'at its end' : `at "${rest}"`;
    return new Fault('invalid-argument', `invalid JSONPath "${this.#text}": ${what} ${where}`);
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
