import { Fault } from '@nodewright/fault';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, visit } from 'yaml';
import { composeDocuments, YamlProblem } from './compose-documents.ts';
import type { ConfigNode, ConfigSource, MapNode, Position } from './config-node.ts';
import { formatPosition, isNullNode, mergeKey } from './config-node.ts';
import { configurationLimits, formatLimit, sizeLimitText } from './configuration-limits.ts';
import { taggedScalar } from './tagged-scalar.ts';

/**
 * Parses a stream of YAML documents, each of which must be a mapping. Empty documents are skipped and aliases
 * are resolved.
 *
 * @throws Fault `invalid-argument` for invalid text, or if `configurationLimits` are exceeded. The message
 * names document, line and column, but never quotes the text, which may contain secrets.
 *
 * Source: Talos v1.14: machine configuration, decoding rules 1 and 6.
 */
export function readYamlStream(text: string): ConfigSource[] {
  return readYamlNodes(text).map(({ index, root }) => {
    if (root.kind === 'map') return { index, root };
    throw decodeFault(index, root, 'not a mapping');
  });
}

/** Like `readYamlStream`, but the root of a document may be any node. */
export function readYamlNodes(text: string): { readonly index: number; readonly root: ConfigNode }[] {
  if (Buffer.byteLength(text) > configurationLimits.sizeBytes) {
    throw new Fault('invalid-argument', `decode error: the text is longer than ${sizeLimitText}`);
  }
  const lines = new LineCounter();
  const sources: { index: number; root: ConfigNode }[] = [];
  let index = 0;
  try {
    for (const document of composeDocuments(text, lines)) {
      index += 1;
      sources.push(...readDocument(document, index, lines));
    }
    return sources;
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw decodeFault(error.index, positionAt(lines, error.offset), withoutSource(error.message));
  }
}

function readDocument(
  document: Document.Parsed,
  index: number,
  lines: LineCounter,
): { index: number; root: ConfigNode }[] {
  const problem = document.errors[0];
  if (problem) {
    throw decodeFault(index, positionAt(lines, problem.pos[0]), withoutSource(problem.message));
  }
  if (document.contents === null) return [];
  const root = new Walk(document, index, lines).node(document.contents);
  return isNullNode(root) ? [] : [{ index, root }];
}

function decodeFault(index: number, position: Position, what: string): Fault {
  return new Fault(
    'invalid-argument',
    `decode error: document ${index}, ${formatPosition(position)}: ${what}`,
  );
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Removes the source text that the parser may append to its messages. */
function withoutSource(message: string): string {
  const text = message.replace(/:(\s[\s\S]*)?$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

class Walk {
  readonly #document: Document.Parsed;
  readonly #index: number;
  readonly #lines: LineCounter;
  readonly #open = new Set<Node>();
  #targets: ReadonlyMap<Node, Node> | undefined;
  #nodesThroughAliases = 0;
  #aliasDepth = 0;

  constructor(document: Document.Parsed, index: number, lines: LineCounter) {
    this.#document = document;
    this.#index = index;
    this.#lines = lines;
  }

  node(node: Node): ConfigNode {
    if (isAlias(node)) return this.#alias(node);
    if (this.#aliasDepth > 0 && ++this.#nodesThroughAliases > configurationLimits.nodes) {
      throw this.#fault(
        node,
        `aliases repeat more than ${formatLimit(configurationLimits.nodes)} keys and values`,
      );
    }
    const position = this.#position(node);
    if (isScalar(node)) {
      const isPlain = node.type === undefined || node.type === 'PLAIN';
      // The parser has already converted values of some tags.
      const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
      const scalar = taggedScalar({ kind: 'scalar', text, plain: isPlain, ...position }, node.tag);
      if (typeof scalar === 'string') throw this.#fault(node, scalar);
      return scalar;
    }
    this.#open.add(node);
    try {
      if (isSeq(node))
        return { kind: 'list', items: node.items.map((item) => this.#child(item, position)), ...position };
      if (isMap(node)) return this.#map(node.items, position);
    } finally {
      this.#open.delete(node);
    }
    throw this.#fault(node, 'this kind of YAML node is not supported');
  }

  #alias(node: Node): ConfigNode {
    this.#targets ??= targetsOfAliases(this.#document);
    const target = this.#targets.get(node);
    if (target === undefined) throw this.#fault(node, 'alias without an anchor');
    if (this.#open.has(target)) throw this.#fault(node, 'alias contains itself');
    this.#aliasDepth++;
    try {
      return this.node(target);
    } finally {
      this.#aliasDepth--;
    }
  }

  #map(pairs: readonly { key: unknown; value?: unknown }[], position: Position): MapNode {
    const entries = new Map<string, ConfigNode>();
    const keys = new Map<string, Position>();
    let hasMergeKey = false;
    for (const { key, value } of pairs) {
      const keyNode = this.#child(key, position);
      if (keyNode.kind !== 'scalar') throw decodeFault(this.#index, keyNode, 'a key must be a scalar');
      const child = this.#child(value, keyNode);
      if (keyNode.plain && keyNode.text === mergeKey) hasMergeKey = true;
      const earlier = keys.get(keyNode.text);
      if (earlier !== undefined) {
        throw decodeFault(
          this.#index,
          keyNode,
          `mapping key ${JSON.stringify(keyNode.text)} already defined at ${formatPosition(earlier)}`,
        );
      }
      keys.set(keyNode.text, { line: keyNode.line, column: keyNode.column });
      entries.set(keyNode.text, child);
    }
    return { kind: 'map', entries, keys, ...(hasMergeKey ? { hasMergeKey } : {}), ...position };
  }

  #child(node: unknown, parent: Position): ConfigNode {
    if (node === null || node === undefined)
      return { kind: 'scalar', text: '', plain: true, line: parent.line, column: parent.column };
    return this.node(node as Node);
  }

  #position(node: Node): Position {
    return positionAt(this.#lines, node.range?.[0] ?? 0);
  }

  #fault(node: Node, what: string): Fault {
    return decodeFault(this.#index, this.#position(node), what);
  }
}

/**
 * Resolves all aliases in one pass, because there may be many. An alias refers to the last preceding node
 * with its anchor.
 */
function targetsOfAliases(document: Document.Parsed): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  visit(document, {
    Node(_, node) {
      const target = isAlias(node) ? anchors.get(node.source) : undefined;
      if (target) targets.set(node, target);
      else if (!isAlias(node) && node.anchor) anchors.set(node.anchor, node);
    },
  });
  return targets;
}
