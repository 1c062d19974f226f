import type { MapNode } from './yaml/config-node.ts';
import type { YamlMap } from './yaml/yaml-value.ts';

/** One document of a machine configuration. */
export interface ConfigDocument {
  /** A kind of the schema, or `legacyKind` for the document without `kind`. */
  readonly kind: string;
  /** The fields that are set, as the schema defines them, without `apiVersion` and `kind`. */
  readonly value: YamlMap;
  /** The source of the document; `undefined` when it was created or changed. */
  readonly origin?: DocumentOrigin;
  /** The result of a JSON patch. The document is written as this tree until another change is made. */
  readonly tree?: YamlMap;
}

/** The position of a document in its stream, for error messages. */
export interface DocumentOrigin {
  /** Number of the document in the stream, from 1; empty documents count. */
  readonly index: number;
  readonly root: MapNode;
}

/** Documents in the order in which they are written. */
export type Configuration = readonly ConfigDocument[];
