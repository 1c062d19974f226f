import { Composer, type CST, type Document, Lexer, type LineCounter, Parser } from 'yaml';

/** No configuration is nested like that; what walks the tree may call itself so often. */
const maxDepth = 200;

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

/** Looks after each word how many collections are open: the parser calls itself for each of them to close it. */
function* parse(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  let documents = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      if (token.type === 'document') documents += 1;
      yield token;
    }
    // Beside the collections the document is open, and most often a scalar.
    if (parser.stack.length > maxDepth + 2)
      throw new YamlProblem(parser.offset, documents + 1, `nested more than ${maxDepth} levels deep`);
  }
  yield* parser.end();
}
