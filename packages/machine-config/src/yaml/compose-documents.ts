import { Composer, type CST, type Document, type LineCounter, Parser } from 'yaml';

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
  let index = 0;
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    if (token.type === 'document') refuseDeepNesting(token, ++index);
    yield* composer.next(token) as Generator<Document.Parsed>;
  }
  yield* composer.end(false, text.length) as Generator<Document.Parsed>;
}

/** With a stack of its own: here nothing is known of the depth yet. */
function refuseDeepNesting(root: CST.Token, index: number): void {
  const open: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > maxDepth) throw new DeepNesting(token.offset, index);
    if (token.type === 'document' && token.value) open.push({ token: token.value, depth });
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) open.push({ token: key, depth: depth + 1 });
      if (value) open.push({ token: value, depth: depth + 1 });
    }
  }
}
