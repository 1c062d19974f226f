import { isDeepStrictEqual } from 'node:util';
import { arrangeDocument } from '../arrange-document.ts';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import { labelOf, loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import { attachComments, pathKey } from './attach-comments.ts';
import { findComments, type SourceLayout } from './find-comments.ts';
import { sourcePaths } from './source-paths.ts';

/**
 * Encodes a changed configuration and keeps the comments of its source text. An unchanged document keeps its
 * bytes. The source may have old forms, as a text that a node has stored. In a changed document, comments stay with their keys and elements, and are removed with them; `matchElements()` says which
 * elements are the same. If nothing changed, the result is the source text.
 *
 * @throws the faults of `loadConfiguration` for the source text
 */
export function encodeKeepingComments(configuration: Configuration, source: string): string {
  const before = loadConfiguration(source, { isStored: true });
  if (isSame(configuration, before)) return source;
  const layout = findComments(source);
  const known = new Map(before.map((document) => [labelOf(document), document]));
  const documents = configuration.map((document) =>
    encodeDocument(document, known.get(labelOf(document)), source, layout),
  );
  return preambleOf(before, source, layout) + documents.join('---\n');
}

/** The text before the first document, including its `---`. */
export function preambleOf(before: Configuration, source: string, layout: SourceLayout): string {
  const first = layout.sections[Math.min(...before.map((document) => sectionOf(document, layout)))];
  return first?.isPlain ? source.slice(0, first.start) : '';
}

export function sectionOf({ origin }: ConfigDocument, layout: SourceLayout): number {
  return layout.sections.findLastIndex(({ firstLine }) => firstLine <= (origin?.root.line ?? 1));
}

function isSame(a: Configuration, b: Configuration): boolean {
  return a.length === b.length && a.every((document, at) => isUnchanged(document, b[at]));
}

export function isUnchanged(document: ConfigDocument, before: ConfigDocument | undefined): boolean {
  return document.kind === before?.kind && isDeepStrictEqual(document.value, before.value);
}

function encodeDocument(
  document: ConfigDocument,
  before: ConfigDocument | undefined,
  source: string,
  layout: SourceLayout,
): string {
  if (!before?.origin) return encodeConfiguration([document]);
  const section = sectionOf(before, layout);
  const place = layout.sections[section];
  if (place?.isPlain && isUnchanged(document, before)) {
    const text = source.slice(place.start, place.end);
    return text.endsWith('\n') ? text : `${text}\n`;
  }
  const attached = attachComments(
    before.origin,
    layout.comments.filter((comment) => comment.section === section),
  );
  const head = attached.head.map((line) => (line === '' ? '\n' : `# ${line}\n`)).join('');
  const arranged = arrangeDocument(document, 'natural');
  const sourceOf = sourcePaths(arrangeDocument(before, 'natural'), arranged);
  const body = encodeYaml(arranged, {
    comment: (path) => {
      const source = sourceOf(path);
      return source && attached.byPath.get(pathKey(source));
    },
  });
  return `${head}${head === '' ? '' : '\n'}${body}`;
}
