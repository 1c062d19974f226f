/**
 * A YAML tree in which scalars keep their text, because only the schema knows whether `0123` is a number or a
 * name. Every node has its position, for error messages.
 */
export type ConfigNode = ScalarNode | ListNode | MapNode;

/** Position of the first character of a node; both numbers start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Formats a position for messages. */
export function formatPosition({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

export interface ScalarNode extends Position {
  readonly kind: 'scalar';
  /** The scalar without quotes, escapes and block indentation. */
  readonly text: string;
  /**
   * Whether the scalar is neither quoted nor a block. Only such a scalar can be a number, a boolean or null.
   */
  readonly plain: boolean;
}

export interface ListNode extends Position {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
}

export interface MapNode extends Position {
  readonly kind: 'map';
  /** Entries in the order of the source; keys are unique. */
  readonly entries: ReadonlyMap<string, ConfigNode>;
  /** The position of each key. */
  readonly keys: ReadonlyMap<string, Position>;
  /** Whether an unquoted key `<<` exists. The schema decides what it means; most fields reject it. */
  readonly hasMergeKey?: true;
}

export const mergeKey = '<<';

/** One document of a stream. `index` counts from 1 and includes empty documents. */
export interface ConfigSource {
  readonly index: number;
  readonly root: MapNode;
}

/** Whether the node is null in YAML: empty, `~` or `null`. */
export function isNullNode(node: ConfigNode | undefined): boolean {
  return (
    node === undefined || (node.kind === 'scalar' && node.plain && /^(|~|null|Null|NULL)$/.test(node.text))
  );
}

/** Returns the node at the path of keys and list indices, or the deepest node on the path that exists. */
export function findNode(root: ConfigNode, path: readonly (string | number)[]): ConfigNode {
  let node = root;
  for (const part of path) {
    const next: ConfigNode | undefined =
      typeof part === 'number'
        ? node.kind === 'list'
          ? node.items[part]
          : undefined
        : node.kind === 'map'
          ? node.entries.get(part)
          : undefined;
    if (next === undefined) return node;
    node = next;
  }
  return node;
}
