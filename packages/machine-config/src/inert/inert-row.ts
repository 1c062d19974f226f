import type { NodeKind } from './node-kinds.ts';

/** A field, with all fields inside of it, that no node of some kinds acts on. */
export interface InertRow {
  /** Dotted path without list indices: `[]` stands for the elements of a list, `*` for the values of a map. Empty: the whole document. */
  readonly path: string;
  readonly on: readonly NodeKind[];
  /** In a document with another name, nodes of the other kinds do not act on the field either. */
  readonly actsOnlyIn?: string;
  /** The value that says what nodes do anyway. */
  readonly exceptFor?: string;
  /** An output of `gen config` has it without any option. */
  readonly isPlain?: true;
}

/** The rows of each kind of document, parents before their children. */
export type InertTable = Readonly<Record<string, readonly InertRow[]>>;
