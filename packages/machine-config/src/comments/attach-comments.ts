import type { ConfigNode, ConfigSource } from '../yaml/config-node.ts';
import type { Comment, Path } from '../yaml/encode-yaml.ts';
import type { SourceComment } from './find-comments.ts';

/** A key or an element of a list, and where it stands. */
interface Entry {
  readonly path: Path;
  readonly line: number;
  readonly column: number;
  /** Of the dash before it, for elements; else that of the entry. */
  readonly outerColumn: number;
}

/** The comments of a document. */
export interface AttachedComments {
  /** About the document: before its first key, with an empty line behind. */
  readonly head: readonly string[];
  /** By `pathKey`. */
  readonly byPath: ReadonlyMap<string, Comment>;
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/**
 * Gives each comment of a document to the key or element it is about: behind something, to that; on a line of its own, to
 * what follows, unless that is further out: then to what it is below of.
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
      // A second one beside the same key comes from inside a value that takes one line now.
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

/** How many comments are about the document itself. */
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

/** What an alias stands for is written once more where it is used, but the comments are where the anchor is. */
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
    // The first key of a mapping speaks for the element.
    if (item.kind === 'map' && item.entries.size > 0) return entriesOf(item, inside, seen);
    const { line, column } = item;
    return [{ path: inside, line, column, outerColumn: column - 2 }, ...entriesOf(item, inside, seen)];
  });
}
