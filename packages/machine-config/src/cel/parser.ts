import { ExpressionProblem } from './expression-problem.ts';
import { maxExpressionDepth } from './limits.ts';
import { checkNumber } from './literals.ts';
import { expandMacro } from './macros.ts';
import { type Expression, qualifiedName } from './syntax-tree.ts';
import { TokenReader } from './token-reader.ts';
import type { Token } from './tokens.ts';

type WithoutDepth<T> = T extends unknown ? Omit<T, 'depth'> : never;

/** Names of the binary operators in CEL, by precedence from lowest to highest. */
const binaryOperators: readonly ReadonlyMap<string, string>[] = [
  { '<': '_<_', '<=': '_<=_', '>=': '_>=_', '>': '_>_', '==': '_==_', '!=': '_!=_', in: '@in' },
  { '+': '_+_', '-': '_-_' },
  { '*': '_*_', '/': '_/_', '%': '_%_' },
].map((operators) => new Map(Object.entries(operators)));

export interface ParseOptions {
  /** Whether the environment has optional values: `.?`, `[?` and the macros of optionals. */
  readonly hasOptionals: boolean;
}

/**
 * Parses an expression into a syntax tree and expands its macros.
 *
 * @throws ExpressionProblem if the expression is malformed
 *
 * Source: Common Expression Language, language definition, syntax.
 */
export function parseExpression(text: string, options: ParseOptions): Expression {
  return new Parser(new TokenReader(text), options).whole();
}

/** Recursive descent parser with one method per precedence level. */
class Parser {
  readonly #reader: TokenReader;
  readonly #hasOptionals: boolean;
  #open = 0;

  constructor(reader: TokenReader, { hasOptionals }: ParseOptions) {
    this.#reader = reader;
    this.#hasOptionals = hasOptionals;
  }

  whole(): Expression {
    const expression = this.#expression();
    if (this.#reader.token.kind !== 'end') this.#reader.fail('the end of the expression');
    return expression;
  }

  /** Completes a node with its depth. Rejects a node that is too deep for the recursive checker. */
  #node(node: WithoutDepth<Expression>, ...children: readonly Expression[]): Expression {
    let deepest = 0;
    for (const { depth } of children) deepest = Math.max(deepest, depth);
    this.#limitDepth(deepest + 1, node.at);
    return { ...node, depth: deepest + 1 } as Expression;
  }

  #limitDepth(depth: number, at: number): void {
    if (depth > maxExpressionDepth)
      throw new ExpressionProblem(at, `the expression nests deeper than ${maxExpressionDepth} levels`);
  }

  #expression(): Expression {
    this.#limitDepth(++this.#open, this.#reader.token.at);
    const condition = this.#logical('||');
    const sign = this.#reader.accept('?');
    const expression = sign === undefined ? condition : this.#conditional(condition, sign);
    this.#open--;
    return expression;
  }

  #conditional(condition: Expression, { at }: Token): Expression {
    const yes = this.#logical('||');
    this.#reader.expect(':');
    const no = this.#expression();
    const operands = [condition, yes, no];
    return this.#node({ kind: 'call', name: '_?_:_', arguments: operands, at }, ...operands);
  }

  #logical(sign: '||' | '&&'): Expression {
    const operand = () => (sign === '||' ? this.#logical('&&') : this.#binary(0));
    const first = operand();
    const { at } = this.#reader.token;
    const operands = [first];
    while (this.#reader.accept(sign) !== undefined) operands.push(operand());
    if (operands.length === 1) return first;
    return this.#node({ kind: 'logical-chain', operands, at }, ...operands);
  }

  #binary(level: number): Expression {
    const operators = binaryOperators[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const name = this.#reader.operatorIn(operators);
      if (name === undefined) return left;
      const { at } = this.#reader.take();
      const operands = [left, this.#binary(level + 1)];
      left = this.#node({ kind: 'call', name, arguments: operands, at }, ...operands);
    }
  }

  /**
   * Parses a run of equal prefix operators; two of them cancel each other. A minus before a number is part of
   * the number.
   */
  #unary(): Expression {
    const sign = this.#reader.accept('!', '-');
    if (sign === undefined) return this.#member(this.#primary());
    let count = 1;
    while (this.#reader.accept(sign.text) !== undefined) count++;
    const { kind } = this.#reader.token;
    if (sign.text === '-' && (kind === 'int' || kind === 'double')) {
      const number = this.#literal('-');
      return this.#negated(this.#member(number), sign, count - 1);
    }
    return this.#negated(this.#member(this.#primary()), sign, count);
  }

  #negated(operand: Expression, { text, at }: Token, count: number): Expression {
    if (count % 2 === 0) return operand;
    const name = text === '!' ? '!_' : '-_';
    return this.#node({ kind: 'call', name, arguments: [operand], at }, operand);
  }

  #member(primary: Expression): Expression {
    let operand = primary;
    for (;;) {
      const sign = this.#reader.accept('.', '[', '{');
      if (sign === undefined) return operand;
      if (sign.text === '.') operand = this.#selection(operand, sign);
      else if (sign.text === '[') operand = this.#index(operand, sign);
      else operand = this.#message(operand, sign);
    }
  }

  #selection(operand: Expression, { at }: Token): Expression {
    const mode = this.#acceptOptional() ? 'optional' : 'value';
    const isMethod = mode === 'value' && this.#reader.token.kind === 'name';
    const { text } = this.#reader.fieldName();
    const bracket = isMethod ? this.#reader.accept('(') : undefined;
    if (bracket === undefined)
      return this.#node({ kind: 'selection', operand, field: text, mode, at }, operand);
    return this.#call(text, bracket, operand);
  }

  #index(operand: Expression, { at }: Token): Expression {
    const name = this.#acceptOptional() ? '_[?_]' : '_[_]';
    const operands = [operand, this.#expression()];
    this.#reader.expect(']');
    return this.#node({ kind: 'call', name, arguments: operands, at }, ...operands);
  }

  #call(name: string, { at }: Token, target?: Expression): Expression {
    const operands: Expression[] = [];
    if (this.#reader.accept(')') === undefined) {
      do operands.push(this.#expression());
      while (this.#reader.accept(',') !== undefined);
      this.#reader.expect(')');
    }
    const children = target === undefined ? operands : [target, ...operands];
    const call = { kind: 'call' as const, name, arguments: operands, at };
    return this.#node(
      expandMacro(call, target, this.#hasOptionals) ?? (target === undefined ? call : { ...call, target }),
      ...children,
    );
  }

  #message(operand: Expression, { at }: Token): Expression {
    const name = qualifiedName(operand);
    if (name === undefined)
      throw new ExpressionProblem(at, 'syntax error: "{" must follow the name of a message');
    const fields = this.#items('}', () => {
      const isOptional = this.#acceptOptional();
      const field = this.#reader.fieldName();
      const colon = this.#reader.expect(':');
      return { name: field.text, value: this.#expression(), isOptional, at: colon.at };
    });
    return this.#node({ kind: 'message', name, fields, at }, ...fields.map(({ value }) => value));
  }

  #primary(): Expression {
    const { kind, text, at } = this.#reader.token;
    if (kind === 'sign') return this.#bracketed();
    if (kind !== 'name') return this.#literal();
    if (text === 'true' || text === 'false') return this.#constant('bool');
    if (text === 'null') return this.#constant('null_type');
    return this.#identifier(at, false);
  }

  #bracketed(): Expression {
    const sign = this.#reader.accept('(', '[', '{', '.');
    if (sign === undefined) return this.#reader.fail('a value');
    if (sign.text === '[') return this.#list(sign);
    if (sign.text === '{') return this.#map(sign);
    if (sign.text === '.') return this.#identifier(sign.at, true);
    const expression = this.#expression();
    this.#reader.expect(')');
    return expression;
  }

  #identifier(at: number, isRooted: boolean): Expression {
    const { text } = this.#reader.identifier();
    const bracket = this.#reader.accept('(');
    if (bracket !== undefined) return this.#call(text, bracket);
    return this.#node({ kind: 'name', name: text, isRooted, at });
  }

  #constant(type: 'bool' | 'null_type'): Expression {
    return this.#node({ kind: 'literal', type, at: this.#reader.take().at });
  }

  #literal(sign = ''): Expression {
    const { kind, text, at } = this.#reader.token;
    if (kind === 'name' || kind === 'quoted-name' || kind === 'sign' || kind === 'end')
      return this.#reader.fail('a value');
    if (kind === 'int') checkNumber(kind, sign + text, at);
    this.#reader.take();
    return this.#node({ kind: 'literal', type: kind, at });
  }

  #list({ at }: Token): Expression {
    const items = this.#items(']', () => {
      const isOptional = this.#acceptOptional();
      return { value: this.#expression(), isOptional };
    });
    return this.#node({ kind: 'list', items, at }, ...items.map(({ value }) => value));
  }

  #map({ at }: Token): Expression {
    const entries = this.#items('}', () => {
      const isOptional = this.#acceptOptional();
      const key = this.#expression();
      this.#reader.expect(':');
      return { key, value: this.#expression(), isOptional };
    });
    return this.#node({ kind: 'map', entries, at }, ...entries.flatMap(({ key, value }) => [key, value]));
  }

  /** Parses items up to the closing bracket. A comma may follow the last item, or be the only content. */
  #items<T>(closing: string, item: () => T): T[] {
    const items: T[] = [];
    while (this.#reader.accept(closing) === undefined) {
      if (items.length === 0 && this.#reader.accept(',') !== undefined) {
        this.#reader.expect(closing);
        break;
      }
      items.push(item());
      if (this.#reader.accept(',') === undefined) {
        this.#reader.expect(closing);
        break;
      }
    }
    return items;
  }

  #acceptOptional(): boolean {
    const sign = this.#reader.accept('?');
    if (sign !== undefined && !this.#hasOptionals)
      throw new ExpressionProblem(sign.at, 'syntax error: this field does not support optional values');
    return sign !== undefined;
  }
}
