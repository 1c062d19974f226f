import { ExpressionProblem } from './expression-problem.ts';
import { type Token, tokenize } from './tokens.ts';

/** Reserved words: no variable or function may have such a name. */
const reserved: ReadonlySet<string> = new Set([
  ...['false', 'in', 'null', 'true'],
  ...['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop'],
  ...['package', 'namespace', 'return', 'var', 'void', 'while'],
]);

/** Keywords of the grammar. They cannot be field names either. */
const keywords: ReadonlySet<string> = new Set(['false', 'in', 'null', 'true']);

/** Reads the tokens of one expression from left to right. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** The next token; the last token is `end`. */
  get token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  /** Consumes the next token. */
  take(): Token {
    const { token } = this;
    if (token.kind !== 'end') this.#next++;
    return token;
  }

  /** Consumes the next token if it is one of these signs. */
  accept(...signs: readonly string[]): Token | undefined {
    const { kind, text } = this.token;
    return kind === 'sign' && signs.includes(text) ? this.take() : undefined;
  }

  /** Returns the CEL name of the operator that the next token is, without consuming it. */
  operatorIn(operators: ReadonlyMap<string, string>): string | undefined {
    const { kind, text } = this.token;
    const isOperator = kind === 'sign' || (kind === 'name' && text === 'in');
    return isOperator ? operators.get(text) : undefined;
  }

  expect(sign: string): Token {
    return this.accept(sign) ?? this.fail(`"${sign}"`);
  }

  /** Consumes the name of a variable, a function or a macro variable. */
  identifier(): Token {
    const { kind, text, at } = this.token;
    if (kind !== 'name' || keywords.has(text)) return this.fail('a name');
    if (reserved.has(text)) throw new ExpressionProblem(at, `reserved identifier: ${text}`);
    return this.take();
  }

  /** Consumes a field name. It may be a reserved word that is not a keyword, or any text between backticks. */
  fieldName(): Token {
    const { kind, text } = this.token;
    if (kind === 'quoted-name') return { ...this.take(), text: text.slice(1, -1) };
    return kind === 'name' && !keywords.has(text) ? this.take() : this.fail('the name of a field');
  }

  /** Throws ExpressionProblem: the grammar does not allow the next token here. */
  fail(expected: string): never {
    const { kind, text, at } = this.token;
    const found = kind === 'end' ? 'the expression ends' : `found ${JSON.stringify(text)}`;
    throw new ExpressionProblem(at, `syntax error: ${found} where ${expected} is expected`);
  }
}
