import type { FieldTable } from './field.ts';

/** Encodes and decodes the specs of one type, in YAML and protobuf. */
export interface SpecCodec<S> {
  /** The fields of the spec, if it consists of fields. */
  readonly fields?: FieldTable;
  /** The spec has one field, and its YAML form is only the value of that field. */
  readonly isBare?: boolean;
  /** Returns plain data for `encodeYaml`, with keys in output order. */
  toYaml(spec: S): unknown;
  toProto(spec: S): Uint8Array;
  /** @throws when the bytes are not a message of the type */
  fromProto(bytes: Uint8Array): S;
}

/** Codecs of types, by full type name. */
export interface SpecCodecs {
  // biome-ignore lint/suspicious/noExplicitAny: how many dimensions a spec has is not the store's business
  get(type: string): SpecCodec<any> | undefined;
}
