import type { FieldType } from './field-type.ts';

/** One field of a spec; the key in the field table is its name in YAML. */
export interface Field<T> {
  /** The protobuf field number; 0 when only YAML has the field. */
  readonly number: number;
  readonly type: FieldType<T>;
  /** Omitted from YAML when it is empty. */
  readonly omitEmpty?: boolean;
  /**
   * YAML writes the entries of the field among those of the enclosing spec, without the name of the field.
   */
  readonly isInlined?: boolean;
}

/** The fields of a spec, in YAML order. */
// biome-ignore lint/suspicious/noExplicitAny: each field has a type of its own, which inference keeps
export type FieldTable = Readonly<Record<string, Field<any>>>;

/** The type of the spec that a table of fields defines. */
export type SpecOfFields<F> = {
  readonly [Key in keyof F]: F[Key] extends Field<infer T> ? T : never;
};

export function field<T>(number: number, type: FieldType<T>): Field<T> {
  return { number, type };
}

/** Defines a field that YAML omits when it is empty. */
export function unlessEmpty<T>(number: number, type: FieldType<T>): Field<T> {
  return { number, type, omitEmpty: true };
}

/** Defines a field whose entries YAML writes among the fields of the enclosing spec. */
export function inlined<T>(number: number, type: FieldType<T>): Field<T> {
  return { number, type, isInlined: true };
}

/** Defines a field that exists only in YAML, not in protobuf. */
export function yamlOnly<T>(type: FieldType<T>): Field<T> {
  return { number: 0, type };
}
