import { Composer, type CST, type Document, Lexer, type LineCounter, Parser } from 'yaml';

/** No configuration is nested like that; what walks the tree may call itself so often. */
const maxDepth = 200;

/** A collection inside too many others. */
export class DeepNesting extends Error {
  /** From 0, in characters of the text. */
  readonly offset: number;
  /** Which document of the stream, from 1. */
  readonly index: number;

  constructor(offset: number, index: number) {
    super(`nested more than ${maxDepth} levels deep`);
    this.offset = offset;
    this.index = index;
  }
}

/**
 * The documents of a stream as trees, each with its errors in it; scalars keep their text. Text before the first document
 * counts with it. Throws DeepNesting, before anything calls itself for each level.
 */
export function* composeDocuments(text: string, lines: LineCounter): Generator<Document.Parsed> {
  const composer = new Composer({
    lineCounter: lines,
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  for (const token of parse(text, lines)) yield* composer.next(token) as Generator<Document.Parsed>;
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
    if (parser.stack.length > maxDepth + 2) throw new DeepNesting(parser.offset, documents + 1);
  }
  yield* parser.end();
}
