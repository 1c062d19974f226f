import { arrangeDocument } from '../arrange-document.ts';
import { attachComments, pathKey } from '../comments/attach-comments.ts';
import { isUnchanged, preambleOf, sectionOf } from '../comments/encode-keeping-comments.ts';
import { findComments, type SourceLayout } from '../comments/find-comments.ts';
import { sourcePaths } from '../comments/source-paths.ts';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import type { ValuePath } from '../effective/config-reader.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { type Comment, encodeYaml } from '../yaml/encode-yaml.ts';
import { entriesOf, isYamlMap, mapFromEntries, type YamlMap } from '../yaml/yaml-value.ts';
import type { Conversion, Move } from './conversion.ts';
import { startsWith } from './value-path.ts';

/**
 * Encodes the result of a conversion with the comments of the source. A document that the conversion did not change keeps its bytes.
 * The comments of a key that moved go with it; those of a key that is gone stand above the document that replaces its section.
 *
 * @param before the configuration that was loaded from `source`
 */
export function encodeConversion(
  conversion: Conversion,
  before: Configuration,
  source: string,
  options: { readonly isPatch?: boolean } = {},
): string {
  const layout = findComments(source);
  const comments = new CommentPool(before, layout);
  const documents = conversion.configuration.map((document) => ({
    document,
    known: before.find((each) => labelOf(each) === labelOf(document)),
    moves: conversion.moves.get(labelOf(document)) ?? [],
    isPatch: options.isPatch === true,
  }));
  // The first pass finds which comments have a place, and the second writes the others above documents.
  for (const each of documents) encodeDocument(each, comments, source, layout);
  const heads = comments.leftByDocument(documents);
  const texts = documents.map((each) => {
    const left = heads.get(each.document) ?? [];
    const head = left.map((line) => (line === '' ? '\n' : `# ${line}\n`)).join('');
    return head + encodeDocument(each, comments, source, layout);
  });
  return preambleOf(before, source, layout) + texts.join('---\n');
}

interface Encoded {
  readonly document: ConfigDocument;
  /** The document of the source with the same label. */
  readonly known: ConfigDocument | undefined;
  readonly moves: readonly Move[];
  /** A patch has only the keys that it sets, without those that are written although they are empty. */
  readonly isPatch: boolean;
}

function encodeDocument(each: Encoded, comments: CommentPool, source: string, layout: SourceLayout): string {
  const { document, known, moves } = each;
  const place = known && layout.sections[sectionOf(known, layout)];
  if (known && isUnchanged(document, known)) {
    comments.takeAll(known);
    if (place?.isPlain) {
      const text = source.slice(place.start, place.end);
      return text.endsWith('\n') ? text : `${text}\n`;
    }
  }
  const all = arrangeDocument(document, 'natural');
  const arranged = each.isPatch ? onlySet(all, { apiVersion: '', kind: '', ...document.value }) : all;
  const sourceOf = known && sourcePaths(arrangeDocument(known, 'natural'), arranged);
  const head = (known ? comments.headOf(known) : [])
    .map((line) => (line === '' ? '\n' : `# ${line}\n`))
    .join('');
  const body = encodeYaml(arranged, {
    comment: (path) => {
      const before = known && sourceOf?.(path);
      const own = known && before && comments.take(known, before, document);
      if (own) return own;
      const move = longestMove(moves, path);
      if (move === undefined) return undefined;
      return comments.takeMoved(move, [...move.from, ...path.slice(move.to.length)], document, path);
    },
  });
  return `${head}${head === '' ? '' : '\n'}${body}`;
}

/** The keys of `arranged` that `value` has, too. */
function onlySet(arranged: YamlMap, value: YamlMap): YamlMap {
  const set = entriesOf(arranged).filter(([key]) => Object.hasOwn(value, key));
  return mapFromEntries(
    set.map(([key, child]) => {
      const own = value[key];
      return [key, isYamlMap(child) && isYamlMap(own) ? onlySet(child, own) : child];
    }),
  );
}

function longestMove(moves: readonly Move[], path: ValuePath): Move | undefined {
  let found: Move | undefined;
  for (const move of moves)
    if (startsWith(path, move.to) && move.to.length >= (found?.to.length ?? 0)) found = move;
  return found;
}

/** The comments of the source, and which of them have a place in the result. */
class CommentPool {
  readonly #attached = new Map<ConfigDocument, ReturnType<typeof attachComments>>();
  /** The place that has a comment, by document and path in the source. */
  readonly #places = new Map<ConfigDocument, Map<string, string>>();
  readonly #legacy: ConfigDocument | undefined;

  constructor(before: Configuration, layout: SourceLayout) {
    this.#legacy = before.find(({ kind }) => kind === legacyKind);
    for (const document of before) {
      if (document.origin === undefined) continue;
      const section = sectionOf(document, layout);
      const own = layout.comments.filter((comment) => comment.section === section);
      this.#attached.set(document, attachComments(document.origin, own));
      this.#places.set(document, new Map());
    }
  }

  headOf(document: ConfigDocument): readonly string[] {
    return this.#attached.get(document)?.head ?? [];
  }

  takeAll(document: ConfigDocument): void {
    for (const key of this.#attached.get(document)?.byPath.keys() ?? [])
      this.#places.get(document)?.set(key, 'unchanged');
  }

  takeMoved(move: Move, from: ValuePath, into: ConfigDocument, to: ValuePath): Comment | undefined {
    const source = move.document ?? this.#legacy;
    return source && this.take(source, from, into, to);
  }

  /** A comment is written once, although a value may be in several documents. */
  take(document: ConfigDocument, from: ValuePath, into: ConfigDocument, to: ValuePath = from) {
    const key = pathKey(from);
    const comment = this.#attached.get(document)?.byPath.get(key);
    if (comment === undefined) return undefined;
    const places = this.#places.get(document);
    const place = `${labelOf(into)} ${pathKey(to)}`;
    const taken = places?.get(key);
    if (taken !== undefined && taken !== place) return undefined;
    places?.set(key, place);
    return comment;
  }

  /** The lines of comments without a place, by the document to write them above. */
  leftByDocument(documents: readonly Encoded[]): Map<ConfigDocument, string[]> {
    const heads = new Map<ConfigDocument, string[]>();
    for (const [source, { byPath, head }] of this.#attached) {
      const isGone = !documents.some(({ known }) => known === source);
      const add = (path: ValuePath, lines: readonly string[]) => {
        const owner = ownerOf(path, documents, source);
        if (owner !== undefined)
          heads.set(owner, [...(heads.get(owner) ?? []), ...lines.filter((line) => line !== '')]);
      };
      if (isGone) add([], head);
      for (const [key, comment] of byPath) {
        if (this.#places.get(source)?.has(key)) continue;
        const beside = [comment.onFirstLine, comment.beside].filter((text) => text !== undefined);
        add(JSON.parse(key) as ValuePath, [...(comment.above ?? []), ...beside, ...(comment.below ?? [])]);
      }
    }
    return heads;
  }
}

/** The document that took over the section of a path, or what is left of its own document, or the first one. */
function ownerOf(
  path: ValuePath,
  documents: readonly Encoded[],
  source: ConfigDocument,
): ConfigDocument | undefined {
  let [best, length] = [undefined as ConfigDocument | undefined, 1];
  for (const { document, moves } of documents) {
    for (const { from, document: origin } of moves) {
      if (origin === source && best === undefined) best = document;
      if ((origin === undefined) !== (source.kind === legacyKind)) continue;
      const common = from.findIndex((part, at) => part !== path[at]);
      const shared = common === -1 ? from.length : common;
      if (shared > length) [best, length] = [document, shared];
    }
  }
  return best ?? documents.find(({ known }) => known === source)?.document ?? documents[0]?.document;
}
