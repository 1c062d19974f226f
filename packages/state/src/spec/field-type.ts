import type { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FieldTable } from './field.ts';

/** A description of a type, for documentation and for tests that compare definitions with tables. */
export interface TypeShape {
  /** The word of the reference: `uint32`, `cidr`, `enum Family`, `string[]`, `map<bool>`; `message` for specs within specs. */
  readonly word: string;
  /** The fields of a message, or of what a list, a map or an optional value holds. */
  readonly fields?: FieldTable;
  /** The texts of an enumeration with their numbers, or of flags with their bits. */
  readonly values?: Readonly<Record<string, number>>;
}

/** A type of values. Empty values are not written to the wire; a reader then uses the empty value. */
export interface FieldType<T> {
  readonly shape: TypeShape;
  readonly empty: T;
  isEmpty(value: T): boolean;
  /** Whether an `omitempty` field leaves the value out of YAML; default: when it is empty. */
  isOmitted?(value: T): boolean;
  toYaml(value: T): unknown;
  /** Writes tag and value. */
  write(writer: BinaryWriter, number: number, value: T): void;
  /** Reads what follows a tag. `before` is the value from earlier tags of the same field. */
  read(reader: BinaryReader, wireType: WireType, before: T): T;
  /** Writes the value alone, for types of which lists are packed. */
  pack?(writer: BinaryWriter, value: T): void;
}

/** The values of a type. */
export type ValueOf<T> = T extends FieldType<infer V> ? V : never;

/** Whether YAML leaves the value out where it may. Source: Talos v1.14: COSI encoding, YAML peculiarities. */
export function isLeftOut<T>(type: FieldType<T>, value: T): boolean {
  return type.isOmitted === undefined ? type.isEmpty(value) : type.isOmitted(value);
}
