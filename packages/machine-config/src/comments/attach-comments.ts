import type { ConfigNode, ConfigSource } from '../yaml/config-node.ts';
import type { Comment, Path } from '../yaml/encode-yaml.ts';
import type { SourceComment } from './find-comments.ts';

/** A key or a list element, and its position in the text. */
interface Entry {
  readonly path: Path;
  readonly line: number;
  readonly column: number;
  /** Column of the dash for a list element, otherwise the column of the entry. */
  readonly outerColumn: number;
}

/** The comments of a document. */
export interface AttachedComments {
  /** Comments about the whole document: before its first key and followed by an empty line. */
  readonly head: readonly string[];
  /** Comments by path, as formatted by `pathKey`. */
  readonly byPath: ReadonlyMap<string, Comment>;
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/**
 * Attaches each comment of a document to a key or list element. A comment behind a value belongs to that
 * value. A comment on its own line belongs to the next entry, unless that entry is less indented: then it
 * belongs to the entry above.
 */
export function attachComments(source: ConfigSource, comments: readonly SourceComment[]): AttachedComments {
  const entries = entriesOf(source.root, []).sort(
    (a, b) => a.line - b.line || a.column - b.column || b.path.length - a.path.length,
  );
  const attached = new Map<string, { above: string[]; onFirstLine?: string; below: string[] }>();
  const of = (entry: Entry) => {
    const key = pathKey(entry.path);
    const known = attached.get(key) ?? { above: [], below: [] };
    attached.set(key, known);
    return known;
  };
  const headLength = lengthOfHead(comments, entries[0]);
  for (const comment of comments.slice(headLength)) {
    const next = entries.find((entry) => isAfter(entry, comment));
    const before = entries.filter((entry) => !isAfter(entry, comment));
    if (!comment.hasLineToItself) {
      const owner = before.at(-1) ?? next;
      if (owner === undefined) continue;
      const known = of(owner);
      // A second comment for the same entry comes from inside a value that is now written on one line.
      if (known.onFirstLine === undefined && before.length > 0) known.onFirstLine = comment.text;
      else known.above.push(comment.text);
      continue;
    }
    const isAbove = next !== undefined && comment.column <= Math.max(next.column, next.outerColumn);
    const owner = isAbove
      ? next
      : (before.findLast((entry) => entry.outerColumn <= comment.column) ?? next ?? before[0]);
    if (owner === undefined) continue;
    const lines = owner === next ? of(owner).above : of(owner).below;
    if (comment.followsBlankLine) lines.push('');
    lines.push(comment.text);
  }
  const head = comments
    .slice(0, headLength)
    .flatMap(({ text, followsBlankLine }, at) => (followsBlankLine && at > 0 ? ['', text] : [text]));
  return { head, byPath: attached };
}

/** Returns the number of leading comments that are about the document itself. */
function lengthOfHead(comments: readonly SourceComment[], first: Entry | undefined): number {
  if (first === undefined) return comments.length;
  const before = comments.filter((comment) => isAfter(first, comment));
  const last = before.at(-1);
  if (last !== undefined && last.line < first.line - 1) return before.length;
  return Math.max(
    0,
    before.findLastIndex(({ followsBlankLine }, at) => followsBlankLine && at > 0),
  );
}

function isAfter(entry: Entry, comment: SourceComment): boolean {
  return entry.line > comment.line || (entry.line === comment.line && entry.column > comment.column);
}

/** The value of an alias is written again where it is used, but its comments stay at the anchor. */
function entriesOf(node: ConfigNode, path: Path, seen = new Set<ConfigNode>()): Entry[] {
  if (seen.has(node)) return [];
  seen.add(node);
  if (node.kind === 'map') {
    return [...node.entries].flatMap(([key, child]) => {
      const { line, column } = node.keys.get(key) ?? child;
      const own = { path: [...path, key], line, column, outerColumn: column };
      return [own, ...entriesOf(child, own.path, seen)];
    });
  }
  if (node.kind === 'scalar') return [];
  return node.items.flatMap((item, at) => {
    const inside = [...path, at];
    // The first key of a mapping represents the list element.
    if (item.kind === 'map' && item.entries.size > 0) return entriesOf(item, inside, seen);
    const { line, column } = item;
    return [{ path: inside, line, column, outerColumn: column - 2 }, ...entriesOf(item, inside, seen)];
  });
}
