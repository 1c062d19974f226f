import { ExpressionProblem, type Token, tokenize } from './tokens.ts';
import {
  type ExpressionEnvironment,
  type ExpressionType,
  fields,
  functions,
  macros,
  methods,
  unitConstants,
  variables,
} from './types.ts';

export type { ExpressionEnvironment } from './types.ts';

/** Deeper nesting is refused rather than followed. */
const maxDepth = 100;

/**
 * What is wrong with a CEL expression, said of the text; undefined when it can be read, names only what there is, and
 * comes to `wanted` as far as that can be told without values. Nothing is evaluated.
 *
 * Source: Common Expression Language, syntax; Talos v1.14: machine configuration, CEL environments.
 */
export function checkExpression(
  text: string,
  environment: ExpressionEnvironment,
  wanted: 'bool' | 'double',
): string | undefined {
  try {
    const type = new Checker(tokenize(text), environment).whole();
    if (type === wanted || type === 'any') return undefined;
    return `must be an expression of type ${wanted}: this one is of type ${type}`;
  } catch (error) {
    if (error instanceof ExpressionProblem) return `is not an expression: it ${error.message}`;
    throw error;
  }
}

/** Reads an expression by recursive descent and works out its type on the way. */
class Checker {
  readonly #tokens: readonly Token[];
  readonly #environment: ExpressionEnvironment;
  readonly #bound: string[] = [];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], environment: ExpressionEnvironment) {
    this.#tokens = tokens;
    this.#environment = environment;
  }

  whole(): ExpressionType {
    const type = this.#expression();
    if (this.#next.kind !== 'end') throw this.#unexpected();
    return type;
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #accept(...texts: string[]): string | undefined {
    const { kind, text } = this.#next;
    const isIt = (kind === 'sign' || (kind === 'name' && text === 'in')) && texts.includes(text);
    if (!isIt) return undefined;
    this.#at++;
    return text;
  }

  #expect(text: string): void {
    if (this.#accept(text) === undefined) throw this.#unexpected(text);
  }

  #unexpected(wanted?: string): ExpressionProblem {
    const found =
      this.#next.kind === 'end' ? 'ends early' : `has something out of place at ${this.#next.at + 1}`;
    return new ExpressionProblem(
      wanted === undefined ? found : `${found}: ${JSON.stringify(wanted)} is expected`,
    );
  }

  #expression(): ExpressionType {
    if (++this.#depth > maxDepth) throw new ExpressionProblem('is nested too deeply');
    const condition = this.#or();
    let type = condition;
    if (this.#accept('?') !== undefined) {
      this.#need(condition, 'bool');
      const yes = this.#or();
      this.#expect(':');
      const no = this.#expression();
      type = yes === no ? yes : 'any';
    }
    this.#depth--;
    return type;
  }

  #or(): ExpressionType {
    return this.#logical('||', () => this.#logical('&&', () => this.#relation()));
  }

  #logical(sign: string, operand: () => ExpressionType): ExpressionType {
    let type = operand();
    while (this.#accept(sign) !== undefined) {
      this.#need(type, 'bool');
      this.#need(operand(), 'bool');
      type = 'bool';
    }
    return type;
  }

  #relation(): ExpressionType {
    let left = this.#sum();
    for (;;) {
      const sign = this.#accept('==', '!=', '<=', '>=', '<', '>', 'in');
      if (sign === undefined) return left;
      const right = this.#sum();
      if (sign === 'in') this.#need(right, 'list', 'map');
      else if (!areComparable(left, right)) throw new ExpressionProblem(`compares ${left} with ${right}`);
      left = 'bool';
    }
  }

  #sum(): ExpressionType {
    return this.#arithmetic(['+', '-'], () =>
      this.#arithmetic(['*', '/', '%'], () => this.#unary(), numbers),
    );
  }

  #arithmetic(
    signs: readonly string[],
    operand: () => ExpressionType,
    allowed: readonly ExpressionType[] = [...numbers, 'string', 'bytes', 'list'],
  ): ExpressionType {
    let left = operand();
    for (;;) {
      const sign = this.#accept(...signs);
      if (sign === undefined) return left;
      const right = operand();
      const [a, b] = [left, right];
      const fits = [a, b].every((type) => type === 'any' || allowed.includes(type));
      if (!fits || (a !== b && a !== 'any' && b !== 'any'))
        throw new ExpressionProblem(`has ${a} ${sign} ${b}, which has no meaning`);
      left = a === 'any' ? b : a;
    }
  }

  #unary(): ExpressionType {
    const signs: string[] = [];
    for (let sign = this.#accept('!', '-'); sign !== undefined; sign = this.#accept('!', '-'))
      signs.push(sign);
    const type = this.#member();
    if (signs.includes('!')) this.#need(type, 'bool');
    else if (signs.length > 0) this.#need(type, 'int', 'double');
    return type;
  }

  #member(): ExpressionType {
    let type = this.#primary();
    for (;;) {
      if (this.#accept('[') !== undefined) {
        this.#need(type, 'list', 'map');
        this.#expression();
        this.#expect(']');
        type = 'any';
      } else if (this.#accept('.') !== undefined) type = this.#selection(type);
      else return type;
    }
  }

  #selection(of: ExpressionType): ExpressionType {
    const name = this.#name();
    if (this.#accept('(') !== undefined) {
      if (Object.hasOwn(macros, name)) return this.#macro(name);
      this.#list(')');
      const type = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (type === undefined) throw new ExpressionProblem(`calls ${name}, which there is not`);
      return type;
    }
    if (of === 'disk' || of === 'volume') {
      const type = Object.hasOwn(fields[of], name) ? fields[of][name] : undefined;
      if (type === undefined) throw new ExpressionProblem(`asks for ${of}.${name}, which there is not`);
      return type;
    }
    this.#need(of, 'map');
    return 'any';
  }

  /** `list.all(name, expression)`: the name is known inside only. */
  #macro(name: string): ExpressionType {
    this.#bound.push(this.#name());
    this.#expect(',');
    this.#expression();
    if (name === 'map' && this.#accept(',') !== undefined) this.#expression();
    this.#expect(')');
    this.#bound.pop();
    return macros[name] ?? 'any';
  }

  #name(): string {
    if (this.#next.kind !== 'name') throw this.#unexpected();
    return (this.#tokens[this.#at++] as Token).text;
  }

  #primary(): ExpressionType {
    const { kind } = this.#next;
    if (kind === 'name') return this.#identifier(this.#name());
    if (kind === 'sign') {
      if (this.#accept('(') !== undefined) {
        const type = this.#expression();
        this.#expect(')');
        return type;
      }
      if (this.#accept('[') !== undefined) return this.#list(']');
      if (this.#accept('{') !== undefined) return this.#map();
      if (this.#accept('.') !== undefined) return this.#identifier(this.#name());
    }
    if (kind === 'sign' || kind === 'end') throw this.#unexpected();
    this.#at++;
    return kind;
  }

  #identifier(name: string): ExpressionType {
    if (name === 'true' || name === 'false') return 'bool';
    if (name === 'null') return 'null';
    if (this.#accept('(') !== undefined) return this.#call(name);
    if (this.#bound.includes(name)) return 'any';
    if (unitConstants.includes(name)) return 'uint';
    const known = variables[this.#environment];
    const type = Object.hasOwn(known, name) ? known[name] : undefined;
    if (type !== undefined) return type;
    if (this.#environment === 'open') return 'any';
    throw new ExpressionProblem(
      `names ${name}, which there is not: there is ${Object.keys(known).join(', ')}`,
    );
  }

  #call(name: string): ExpressionType {
    this.#list(')');
    if (name === 'has') return 'bool';
    const known = functions[this.#environment];
    const type = Object.hasOwn(known, name) ? known[name] : undefined;
    if (type !== undefined) return type;
    if (this.#environment === 'open') return 'any';
    throw new ExpressionProblem(`calls ${name}, which there is not`);
  }

  #list(closing: string): ExpressionType {
    while (this.#accept(closing) === undefined) {
      this.#expression();
      if (this.#accept(',') === undefined) {
        this.#expect(closing);
        break;
      }
    }
    return 'list';
  }

  #map(): ExpressionType {
    while (this.#accept('}') === undefined) {
      this.#expression();
      this.#expect(':');
      this.#expression();
      if (this.#accept(',') === undefined) {
        this.#expect('}');
        break;
      }
    }
    return 'map';
  }

  #need(type: ExpressionType, ...wanted: ExpressionType[]): void {
    if (type !== 'any' && !wanted.includes(type))
      throw new ExpressionProblem(`has ${type} where ${wanted.join(' or ')} is needed`);
  }
}

const numbers: readonly ExpressionType[] = ['int', 'uint', 'double'];

/** Numbers of any kind compare with each other. */
function areComparable(a: ExpressionType, b: ExpressionType): boolean {
  return a === b || a === 'any' || b === 'any' || (numbers.includes(a) && numbers.includes(b));
}
