import type { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FieldTable } from './field.ts';

/** A description of a type, for documentation and for tests that compare definitions with tables. */
export interface TypeShape {
  /**
   * The name of the type in the Talos reference, such as `uint32`, `cidr`, `enum Family`, `string[]` or
   * `map<bool>`; `message` for a nested spec.
   */
  readonly word: string;
  /** The fields of a message, also if the message is an item of a list or map, or an optional value. */
  readonly fields?: FieldTable;
  /** The names of an enumeration with their numbers, or of flags with their bits. */
  readonly values?: Readonly<Record<string, number>>;
}

/**
 * A type of field values. Empty values are not written to the wire; when a field is missing, the reader uses
 * the empty value.
 */
export interface FieldType<T> {
  readonly shape: TypeShape;
  readonly empty: T;
  isEmpty(value: T): boolean;
  /** Whether YAML omits the value in an `omitempty` field. Default: when the value is empty. */
  isOmitted?(value: T): boolean;
  toYaml(value: T): unknown;
  /** Writes the tag and the value. */
  write(writer: BinaryWriter, number: number, value: T): void;
  /** Reads the value after a tag. `before` is the value of earlier tags of the same field. */
  read(reader: BinaryReader, wireType: WireType, before: T): T;
  /** Writes only the value. Defined for types whose lists are packed. */
  pack?(writer: BinaryWriter, value: T): void;
}

/** The type of the values of a field type. */
export type ValueOf<T> = T extends FieldType<infer V> ? V : never;

/**
 * Whether YAML omits the value in an `omitempty` field. Source: Talos v1.14: COSI encoding, YAML
 * peculiarities.
 */
export function isLeftOut<T>(type: FieldType<T>, value: T): boolean {
  return type.isOmitted === undefined ? type.isEmpty(value) : type.isOmitted(value);
}
