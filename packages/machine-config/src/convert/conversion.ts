import type { ConfigDocument, Configuration } from '../config-document.ts';
import type { ValuePath } from '../effective/config-reader.ts';

/** What a conversion says about one key or section. It never contains a value that may be secret. */
export interface ConversionNote {
  /**
   * `default`: a value that the source leaves out was written, because the other form has another default, or none.
   * `kept`: it stays in its form, because it has no counterpart. `changed`: the conversion changes what a node does or how it
   * does it. `dropped`: nodes ignore the key, and it is left out.
   */
  readonly kind: 'default' | 'kept' | 'changed' | 'dropped';
  /** The key, such as `machine.install` or `KubeProxyConfig: mode`. */
  readonly key: string;
  /** Why, in one line. */
  readonly text: string;
  /** Line and column of the key in the source, if it is there. */
  readonly position?: string;
  /** For `changed`: the path in the effective configuration that is different. */
  readonly effective?: string;
}

/** A part of a document and where it was in the source. */
export interface Move {
  readonly to: ValuePath;
  /** The source document: undefined for the v1alpha1 document. */
  readonly document?: ConfigDocument;
  readonly from: ValuePath;
}

export interface Conversion {
  readonly configuration: Configuration;
  /** In the order of the sections. */
  readonly notes: readonly ConversionNote[];
  /** Where the parts of each new or extended document come from, by the label of the document. */
  readonly moves: ReadonlyMap<string, readonly Move[]>;
}

/** One line for a person: position, key and text. */
export function formatNote({ kind, key, text, position }: ConversionNote): string {
  const where = position === undefined ? '' : `${position}: `;
  const what = { default: 'written out', kept: 'stays', changed: 'changes', dropped: 'left out' }[kind];
  return `${where}${key} ${what}: ${text}`;
}
