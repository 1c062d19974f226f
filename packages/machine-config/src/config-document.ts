import type { YamlMap } from './yaml/yaml-value.ts';

/** One document of a machine configuration. */
export interface ConfigDocument {
  /** A kind of the schema; `legacyKind` for the document without `kind`. */
  readonly kind: string;
  /** Its fields as of the schema, without `apiVersion` and `kind`; only those that were mentioned. */
  readonly value: YamlMap;
}

/** The documents in their order. */
export type Configuration = readonly ConfigDocument[];
