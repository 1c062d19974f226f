import { Composer, CST, type Document, Lexer, type LineCounter, Parser } from 'yaml';
import { configurationLimits, formatLimit } from './configuration-limits.ts';

/** The first thing in a text that is no YAML, or too much of it. */
export class YamlProblem extends Error {
  /** From 0, in characters of the text. */
  readonly offset: number;
  /** Which document of the stream, from 1. */
  readonly index: number;

  constructor(offset: number, index: number, message: string) {
    super(message);
    this.offset = offset;
    this.index = index;
  }
}

/** How the composer tells of errors and warnings, of which a text of some megabytes may have a million. */
interface Telling {
  onError: (
    source: number | [number, number] | { offset: number },
    code: string,
    message: string,
    isWarning?: boolean,
  ) => void;
}

/**
 * The documents of a stream as trees; scalars keep their text. Text before the first document counts with it. Throws
 * YamlProblem at the first mistake, and before anything calls itself for each level of deep nesting.
 */
export function* composeDocuments(text: string, lines: LineCounter): Generator<Document.Parsed> {
  const composer = new Composer({
    lineCounter: lines,
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  let index = 0;
  let first: YamlProblem | undefined;
  (composer as unknown as Telling).onError = (source, _code, message, isWarning) => {
    if (isWarning) return;
    const offset = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;
    // The composer catches what is thrown here and tells it once more for each collection around it.
    first ??= new YamlProblem(offset, Math.max(index, 1), message);
    throw first;
  };
  for (const token of parse(text, lines)) {
    if (token.type === 'document') index += 1;
    if (token.type === 'error') throw new YamlProblem(token.offset, Math.max(index, 1), token.message);
    yield* composer.next(token) as Generator<Document.Parsed>;
  }
  yield* composer.end(false, text.length) as Generator<Document.Parsed>;
}

/**
 * Looks after each word how many collections are open, since the parser calls itself for each of them to close it, and
 * how much there has been: a tree takes far more memory than its text.
 */
function* parse(text: string, lines: LineCounter): Generator<CST.Token> {
  const { depth, documents: maxDocuments } = configurationLimits;
  const parser = new Parser(lines.addNewLine);
  const count = new WordCount();
  let documents = 0;
  lines.addNewLine(0);
  const refuse = (what: string) => new YamlProblem(parser.offset, documents + 1, what);
  for (const lexeme of new Lexer().lex(text)) {
    const excess = count.add(lexeme);
    if (excess !== undefined) throw refuse(excess);
    for (const token of parser.next(lexeme)) {
      if (token.type === 'document') documents += 1;
      yield token;
    }
    if (documents > maxDocuments) throw refuse(`more than ${formatLimit(maxDocuments)} documents`);
    // Beside the collections the document is open, and most often a scalar.
    if (parser.stack.length > depth + 2) throw refuse(`nested more than ${depth} levels deep`);
  }
  yield* parser.end();
}

/** Counts what a stream has of each thing that is limited. */
class WordCount {
  #words = 0;
  #nodes = 0;
  #aliases = 0;
  #isText = false;

  /** What there is too much of with this word, if anything. */
  add(word: string): string | undefined {
    const { aliases, nodes, words } = configurationLimits;
    this.#words += 1;
    // Behind the mark of a scalar stands its text, which may look like anything.
    const type = this.#isText ? null : CST.tokenType(word);
    this.#isText = type === 'scalar';
    if (type === 'alias') this.#aliases += 1;
    if (type !== null && nodeTypes.has(type)) this.#nodes += 1;
    if (this.#words > words) return `more than ${formatLimit(words)} words, line ends and comments`;
    if (this.#nodes > nodes) return `more than ${formatLimit(nodes)} keys and values`;
    return this.#aliases > aliases ? `more than ${formatLimit(aliases)} aliases` : undefined;
  }
}

/** Words that begin a node, or an element that may be empty. */
const nodeTypes: ReadonlySet<string> = new Set([
  'scalar',
  'single-quoted-scalar',
  'double-quoted-scalar',
  'block-scalar-header',
  'alias',
  'flow-map-start',
  'flow-seq-start',
  'seq-item-ind',
  'explicit-key-ind',
]);
