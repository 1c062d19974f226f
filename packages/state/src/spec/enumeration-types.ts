import { Fault } from '@nodewright/fault';
import type { FieldType } from './field-type.ts';
import { varint } from './scalar-types.ts';

type Numbers = Readonly<Record<string, number>>;

/** The texts of an enumeration; `''` stands for zero where zero has no text. */
type TextOf<N extends Numbers> = (keyof N & string) | (0 extends N[keyof N] ? never : '');

/** A text in YAML, a number on the wire. */
export interface EnumerationType<T extends string> extends FieldType<T> {
  readonly texts: readonly T[];
  /** @throws Fault `internal` when a number has no text */
  textOf(number: number): T;
  numberOf(text: T): number;
}

/** @throws Fault `internal`, from its methods, when a message has a number without a text */
export function enumeration<const N extends Numbers>(name: string, numbers: N): EnumerationType<TextOf<N>> {
  return enumerationOf<TextOf<N>>(name, numbers, (number) => {
    throw new Fault('internal', `${name} has no value ${number}`);
  });
}

/** An enumeration of which a kernel may know more than we do: a number without a text is its decimal text. */
export function openEnumeration<const N extends Numbers>(
  name: string,
  numbers: N,
): EnumerationType<TextOf<N> | `${number}`> {
  return enumerationOf<TextOf<N> | `${number}`>(name, numbers, (number) => `${number}`);
}

function enumerationOf<T extends string>(
  name: string,
  numbers: Numbers,
  textOfOther: (number: number) => T,
): EnumerationType<T> {
  let texts: ReadonlyMap<number, T> | undefined;
  const textOf = (number: number): T => {
    texts ??= new Map(Object.entries(numbers).map(([text, of]) => [of, text as T]));
    return texts.get(number) ?? (number === 0 ? ('' as T) : textOfOther(number));
  };
  const numberOf = (text: T): number => numbers[text] ?? Number(text);
  return {
    ...varint<T>(
      `enum ${name}`,
      // Not looked up: most enumerations are never used.
      (Object.entries(numbers).find(([, number]) => number === 0)?.[0] ?? '') as T,
      (writer, value) => void writer.int32(numberOf(value)),
      (reader) => textOf(reader.int32()),
    ),
    get texts() {
      return Object.keys(numbers) as T[];
    },
    textOf,
    numberOf,
  };
}

/** Some of a set of flags: in YAML their names in one text with commas, on the wire the sum of their bits. */
export interface FlagsType<T extends string> extends FieldType<readonly T[]> {
  /** The names of the bits that have one, the lowest first. */
  flagsOf(bits: number): readonly T[];
  bitsOf(flags: readonly T[]): number;
}

export function flags<const N extends Numbers>(name: string, bits: N): FlagsType<keyof N & string> {
  type Flag = keyof N & string;
  const flagsOf = (sum: number) =>
    (Object.keys(bits) as Flag[]).filter((flag) => (sum & (bits[flag] as number)) !== 0);
  const bitsOf = (of: readonly Flag[]) => of.reduce((sum, flag) => sum | (bits[flag] as number), 0);
  return {
    ...varint<readonly Flag[]>(
      `enum ${name}`,
      [],
      (writer, value) => void writer.uint32(bitsOf(value)),
      (reader) => flagsOf(reader.uint32()),
    ),
    isEmpty: (value) => value.length === 0,
    toYaml: (value) => flagsOf(bitsOf(value)).join(','),
    flagsOf,
    bitsOf,
  };
}
