/**
 * A configuration as it was written: scalars keep their text, because whether `0123` is a number or a name is for the
 * field to say, not for the reader. Every node knows where it stands, so that an error can name it.
 */
export type ConfigNode = ScalarNode | ListNode | MapNode;

/** Where something begins in the text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** As messages name it. */
export function formatPosition({ line, column }: Position): string {
  return `line ${line}, column ${column}`;
}

export interface ScalarNode extends Position {
  readonly kind: 'scalar';
  /** The value with quotes, escapes and block indentation taken off; otherwise as written. */
  readonly text: string;
  /** Written without quotes and not as a block: only then can it stand for a number, a boolean or null. */
  readonly plain: boolean;
}

export interface ListNode extends Position {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
}

export interface MapNode extends Position {
  readonly kind: 'map';
  /** In the order of the source; keys are unique. */
  readonly entries: ReadonlyMap<string, ConfigNode>;
  /** Where each key stands. */
  readonly keys: ReadonlyMap<string, Position>;
  /** Its key `<<` has no quotes: what it means is for the field to say, and most fields have none. */
  readonly hasMergeKey?: true;
}

export const mergeKey = '<<';

/** One document of a stream. `index` counts from 1 over all documents, empty ones included. */
export interface ConfigSource {
  readonly index: number;
  readonly root: MapNode;
}

/** True for what YAML takes as no value at all: nothing, `~`, `null`. */
export function isNullNode(node: ConfigNode | undefined): boolean {
  return (
    node === undefined || (node.kind === 'scalar' && node.plain && /^(|~|null|Null|NULL)$/.test(node.text))
  );
}

/** The node at the path of keys and list positions, or the deepest one that is on the way to it. */
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
