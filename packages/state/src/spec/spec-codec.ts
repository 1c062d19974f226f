import type { FieldTable } from './field.ts';

/** How the specs of one type stand on the wire, in both of its forms. */
export interface SpecCodec<S> {
  /** The fields of both forms, where the spec is made of fields. */
  readonly fields?: FieldTable;
  /** It has one field, and in YAML the spec is the value of that alone. */
  readonly isBare?: boolean;
  /** Plain data for `encodeYaml`, in the order in which it is to be printed. */
  toYaml(spec: S): unknown;
  toProto(spec: S): Uint8Array;
  /** @throws when the bytes are no message of the type */
  fromProto(bytes: Uint8Array): S;
}

/** Codecs of types by full name. */
export interface SpecCodecs {
  // biome-ignore lint/suspicious/noExplicitAny: how many dimensions a spec has is not the store's business
  get(type: string): SpecCodec<any> | undefined;
}
