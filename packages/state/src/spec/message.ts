import { BinaryReader, type BinaryWriter } from '@bufbuild/protobuf/wire';
import type { FieldType } from './field-types.ts';

/** One field of a spec: its number on the wire, and whether it is left out of YAML when it is empty. */
export interface Field<T> {
  readonly number: number;
  readonly type: FieldType<T>;
  readonly omitEmpty?: boolean;
}

/** The fields of a spec under their names in YAML, in their order there. */
export type Fields<S> = { readonly [Key in keyof S]-?: Field<S[Key]> };

const entriesOf = <S>(fields: Fields<S>) => Object.entries(fields) as [keyof S, Field<S[keyof S]>][];

export function yamlOfFields<S>(fields: Fields<S>, spec: S): Record<string, unknown> {
  return Object.fromEntries(
    entriesOf(fields)
      .filter(([key, { type, omitEmpty }]) => omitEmpty !== true || !type.isEmpty(spec[key]))
      .map(([key, { type }]) => [key, type.toYaml(spec[key])]),
  );
}

export function writeMessage<S>(fields: Fields<S>, writer: BinaryWriter, spec: S): void {
  const inOrder = entriesOf(fields).sort(([, a], [, b]) => a.number - b.number);
  for (const [key, { number, type }] of inOrder) {
    if (!type.isEmpty(spec[key])) type.write(writer, number, spec[key]);
  }
}

/** Fields that nobody here knows are stepped over. */
export function readMessage<S>(fields: Fields<S>, bytes: Uint8Array): S {
  const known = new Map(entriesOf(fields).map(([key, field]) => [field.number, { key, type: field.type }]));
  const spec = {} as S;
  for (const { key, type } of known.values()) spec[key] = type.empty;
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const field = known.get(number);
    if (field === undefined) reader.skip(wireType, number);
    else spec[field.key] = field.type.read(reader, wireType, spec[field.key]);
  }
  return spec;
}
