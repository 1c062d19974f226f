/**
 * A configuration as it was written: scalars keep their text, because whether `0123` is a number or a name is for the
 * field to say, not for the reader. Every node knows its line (from 1), so that an error can name it.
 */
export type ConfigNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  /** The value with quotes, escapes and block indentation taken off; otherwise as written. */
  readonly text: string;
  /** Written without quotes and not as a block: only then can it stand for a number, a boolean or null. */
  readonly plain: boolean;
  readonly line: number;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
  readonly line: number;
}

export interface MapNode {
  readonly kind: 'map';
  /** In the order of the source; keys are unique. */
  readonly entries: ReadonlyMap<string, ConfigNode>;
  readonly line: number;
}

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
