import { type BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { Fault } from '@nodewright/fault';
import type { FieldType, TypeShape } from './field-type.ts';

type Numbers = Readonly<Record<string, number>>;

/** The names of an enumeration; `''` means zero if zero has no name. */
type TextOf<N extends Numbers> = (keyof N & string) | (0 extends N[keyof N] ? never : '');

/** An enumeration: a name in YAML, a number on the wire. */
export class EnumerationType<T extends string> implements FieldType<T> {
  readonly #name: string;
  readonly empty: T;
  readonly #numbers: Numbers;
  readonly #isOpen: boolean;
  #texts: ReadonlyMap<number, T> | undefined;

  constructor(name: string, numbers: Numbers, isOpen: boolean) {
    this.#name = name;
    this.#numbers = numbers;
    this.#isOpen = isOpen;
    this.empty = (Object.keys(numbers).find((text) => numbers[text] === 0) ?? '') as T;
  }

  get shape(): TypeShape {
    return { word: `enum ${this.#name}`, values: this.#numbers };
  }

  get texts(): readonly T[] {
    return Object.keys(this.#numbers) as T[];
  }

  /**
   * Returns the name of a number.
   *
   * @throws Fault `internal` when the number has no name, unless the enumeration is open
   */
  textOf(number: number): T {
    if (number === 0) return this.empty;
    this.#texts ??= new Map(this.texts.map((text) => [this.#numbers[text] as number, text]));
    const text = this.#texts.get(number);
    if (text !== undefined) return text;
    if (this.#isOpen) return String(number) as T;
    throw new Fault('internal', `unknown value ${number} of ${this.#name}`);
  }

  numberOf(text: T): number {
    return this.#numbers[text] ?? Number(text);
  }

  isEmpty(value: T): boolean {
    return value === this.empty;
  }

  toYaml(value: T): unknown {
    return value;
  }

  write(writer: BinaryWriter, number: number, value: T): void {
    this.pack(writer.uint32((number << 3) | WireType.Varint), value);
  }

  read(reader: BinaryReader): T {
    return this.textOf(reader.int32());
  }

  pack(writer: BinaryWriter, value: T): void {
    writer.int32(this.numberOf(value));
  }
}

export function enumeration<const N extends Numbers>(name: string, numbers: N): EnumerationType<TextOf<N>> {
  return new EnumerationType(name, numbers, false);
}

/**
 * An enumeration for which the kernel may have additional values. A number without a name is shown as decimal
 * text.
 */
export function openEnumeration<const N extends Numbers>(
  name: string,
  numbers: N,
): EnumerationType<TextOf<N> | `${number}`> {
  return new EnumerationType(name, numbers, true);
}

/** A set of flags: their names separated by commas in YAML, the sum of their bits on the wire. */
export class FlagsType<T extends string> implements FieldType<readonly T[]> {
  readonly empty: readonly T[] = [];
  readonly #name: string;
  readonly #bits: Readonly<Record<T, number>>;

  constructor(name: string, bits: Readonly<Record<T, number>>) {
    this.#name = name;
    this.#bits = bits;
  }

  get shape(): TypeShape {
    return { word: `enum ${this.#name}`, values: this.#bits };
  }

  /** Returns the names of the set bits in the order of the definition; ignores bits without a name. */
  flagsOf(bits: number): readonly T[] {
    return (Object.keys(this.#bits) as T[]).filter((flag) => (bits & this.#bits[flag]) !== 0);
  }

  bitsOf(flags: readonly T[]): number {
    return flags.reduce((sum, flag) => sum | this.#bits[flag], 0);
  }

  isEmpty(value: readonly T[]): boolean {
    return value.length === 0;
  }

  toYaml(value: readonly T[]): unknown {
    return this.flagsOf(this.bitsOf(value)).join(',');
  }

  write(writer: BinaryWriter, number: number, value: readonly T[]): void {
    writer.uint32((number << 3) | WireType.Varint).uint32(this.bitsOf(value));
  }

  read(reader: BinaryReader): readonly T[] {
    return this.flagsOf(reader.uint32());
  }
}

export function flags<const N extends Numbers>(name: string, bits: N): FlagsType<keyof N & string> {
  return new FlagsType(name, bits);
}
