import type { MapNode } from './yaml/config-node.ts';
import type { YamlMap } from './yaml/yaml-value.ts';

/** One document of a machine configuration. */
export interface ConfigDocument {
  /** A kind of the schema; `legacyKind` for the document without `kind`. */
  readonly kind: string;
  /** Its fields as of the schema, without `apiVersion` and `kind`; only those that were mentioned. */
  readonly value: YamlMap;
  /** Where it was read; a document that was made or changed has none. */
  readonly origin?: DocumentOrigin;
  /** What a JSON patch made of it: as long as nothing else changes the document, it is written as this tree. */
  readonly tree?: YamlMap;
}

/** A document as it stood in its stream, for messages about it. */
export interface DocumentOrigin {
  /** Counts from 1 over all documents of the stream, empty ones included. */
  readonly index: number;
  readonly root: MapNode;
}

/** The documents in their order. */
export type Configuration = readonly ConfigDocument[];
