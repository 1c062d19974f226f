import type { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FieldTable } from './field.ts';

/** What a type is to those who look at definitions: documentation, tests that compare them with tables. */
export interface TypeShape {
  /** The word of the reference: `uint32`, `cidr`, `enum Family`, `string[]`, `map<bool>`; `message` for specs within specs. */
  readonly word: string;
  /** The fields of a message, or of what a list, a map or an optional value holds. */
  readonly fields?: FieldTable;
  /** The texts of an enumeration with their numbers, or of flags with their bits. */
  readonly values?: Readonly<Record<string, number>>;
}

/** One type of values. Values that are empty are not on the wire; a reader then has the empty one. */
export interface FieldType<T> {
  readonly shape: TypeShape;
  readonly empty: T;
  isEmpty(value: T): boolean;
  /** Whether it is left out of YAML where a field is left out when it is empty; default: when it is empty. */
  isOmitted?(value: T): boolean;
  toYaml(value: T): unknown;
  /** Writes tag and value. */
  write(writer: BinaryWriter, number: number, value: T): void;
  /** Reads what follows a tag. `before` is what earlier tags of the same field gave. */
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
