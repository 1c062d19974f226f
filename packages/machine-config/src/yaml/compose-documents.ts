import { Composer, CST, type Document, Lexer, type LineCounter, Parser } from 'yaml';
import { configurationLimits, formatLimit } from './configuration-limits.ts';

/** The first syntax error in a text, or the first limit that it exceeds. */
export class YamlProblem extends Error {
  /** Offset in the text, in characters from 0. */
  readonly offset: number;
  /** Number of the document in the stream, from 1. */
  readonly index: number;

  constructor(offset: number, index: number, message: string) {
    super(message);
    this.offset = offset;
    this.index = index;
  }
}

/**
 * Internal callback of the composer for errors and warnings. A text of a few megabytes may cause a million of
 * them.
 */
interface ComposerErrors {
  onError: (
    source: number | [number, number] | { offset: number },
    code: string,
    message: string,
    isWarning?: boolean,
  ) => void;
}

/**
 * Parses the documents of a stream into trees whose scalars keep their text. Text before the first document
 * belongs to it.
 *
 * @throws YamlProblem at the first error, and on deep nesting before any code recurses into it
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
  (composer as unknown as ComposerErrors).onError = (source, _code, message, isWarning) => {
    if (isWarning) return;
    const offset = typeof source === 'number' ? source : Array.isArray(source) ? source[0] : source.offset;
    // The composer catches this error and reports it again for each enclosing collection.
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
 * Parses the text and checks the limits after each token. The parser recurses to close collections, so their
 * depth is limited. The number of nodes is limited because a tree takes far more memory than its text.
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
    // In addition to the collections, the stack holds the document and usually a scalar.
    if (parser.stack.length > depth + 2) throw refuse(`nested more than ${depth} levels deep`);
  }
  yield* parser.end();
}

/** Counts tokens, nodes and aliases of a stream. */
class WordCount {
  #words = 0;
  #nodes = 0;
  #aliases = 0;
  #isText = false;

  /** Adds a token. Returns a message if a limit is exceeded. */
  add(word: string): string | undefined {
    const { aliases, nodes, words } = configurationLimits;
    this.#words += 1;
    // The text of a scalar follows its marker and may look like any other token.
    const type = this.#isText ? null : CST.tokenType(word);
    this.#isText = type === 'scalar';
    if (type === 'alias') this.#aliases += 1;
    if (type !== null && nodeTypes.has(type)) this.#nodes += 1;
    if (this.#words > words) return `more than ${formatLimit(words)} words, line ends and comments`;
    if (this.#nodes > nodes) return `more than ${formatLimit(nodes)} keys and values`;
    return this.#aliases > aliases ? `more than ${formatLimit(aliases)} aliases` : undefined;
  }
}

/** Tokens that begin a node, or a list element that may be empty. */
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
