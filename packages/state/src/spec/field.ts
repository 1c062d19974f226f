import type { FieldType } from './field-type.ts';

/** One field of a spec, under its name in YAML. */
export interface Field<T> {
  /** The field number on the wire; 0 when only YAML has the field. */
  readonly number: number;
  readonly type: FieldType<T>;
  /** Omitted from YAML when it is empty. */
  readonly omitEmpty?: boolean;
  /** YAML writes its keys inline, among those of the enclosing spec, without its own name. */
  readonly isInlined?: boolean;
}

/** The fields of a spec in their order in YAML. */
// biome-ignore lint/suspicious/noExplicitAny: each field has a type of its own, which inference keeps
export type FieldTable = Readonly<Record<string, Field<any>>>;

/** The type of the spec that a table of fields describes. */
export type SpecOfFields<F> = {
  readonly [Key in keyof F]: F[Key] extends Field<infer T> ? T : never;
};

export function field<T>(number: number, type: FieldType<T>): Field<T> {
  return { number, type };
}

/** A field that YAML leaves out when it is empty. */
export function unlessEmpty<T>(number: number, type: FieldType<T>): Field<T> {
  return { number, type, omitEmpty: true };
}

/** A map whose entries stand in YAML among the fields around it. */
export function inlined<T>(number: number, type: FieldType<T>): Field<T> {
  return { number, type, isInlined: true };
}

/** A field that typed clients do not see. */
export function yamlOnly<T>(type: FieldType<T>): Field<T> {
  return { number: 0, type };
}
