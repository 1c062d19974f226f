// These types are classes because definitions create many hundreds of them: the methods are then shared.
import { type BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { type FieldTable, field, type SpecOfFields } from './field.ts';
import { FieldList } from './field-list.ts';
import type { FieldType, TypeShape } from './field-type.ts';
import { delimited, text } from './scalar-types.ts';

class MessageType<F extends FieldTable> implements FieldType<SpecOfFields<F>> {
  readonly shape: TypeShape;
  readonly #list: FieldList<F>;

  constructor(fields: F, word: string) {
    this.shape = { word, fields };
    this.#list = new FieldList(fields);
  }

  get empty() {
    return this.#list.empty();
  }

  isEmpty(): boolean {
    return false;
  }

  isOmitted(value: SpecOfFields<F>): boolean {
    return this.#list.isLeftOut(value);
  }

  toYaml(value: SpecOfFields<F>): Record<string, unknown> {
    return this.#list.toYaml(value);
  }

  write(writer: BinaryWriter, number: number, value: SpecOfFields<F>): void {
    delimited(writer, number).fork();
    this.#list.write(writer, value);
    writer.join();
  }

  read(reader: BinaryReader): SpecOfFields<F> {
    return this.#list.read(reader.bytes());
  }
}

/** A nested message. `word` is its name in the Talos reference, if it has one. */
export function message<F extends FieldTable>(fields: F, word = 'message'): FieldType<SpecOfFields<F>> {
  return new MessageType(fields, word);
}

class OptionalType<T> implements FieldType<T | undefined> {
  readonly empty = undefined;
  readonly #type: FieldType<T>;

  constructor(type: FieldType<T>) {
    this.#type = type;
  }

  get shape(): TypeShape {
    const { shape } = this.#type;
    return { ...shape, word: `${shape.word}?` };
  }

  isEmpty(value: T | undefined): boolean {
    return value === undefined;
  }

  toYaml(value: T | undefined): unknown {
    return value === undefined ? null : this.#type.toYaml(value);
  }

  write(writer: BinaryWriter, number: number, value: T | undefined): void {
    this.#type.write(writer, number, value as T);
  }

  read(reader: BinaryReader, wireType: WireType, before: T | undefined): T {
    return this.#type.read(reader, wireType, before ?? this.#type.empty);
  }
}

/** A value or `undefined`, which is `null` in YAML. A value is written to the wire even when it is empty. */
export function optional<T>(type: FieldType<T>): FieldType<T | undefined> {
  return new OptionalType(type);
}

class ListType<T> implements FieldType<readonly T[]> {
  readonly #type: FieldType<T>;

  constructor(type: FieldType<T>) {
    this.#type = type;
  }

  get shape(): TypeShape {
    const { shape } = this.#type;
    return { ...shape, word: `${shape.word}[]` };
  }

  get empty(): readonly T[] {
    return [];
  }

  isEmpty(values: readonly T[]): boolean {
    return values.length === 0;
  }

  toYaml(values: readonly T[]): unknown {
    return values.map((value) => this.#type.toYaml(value));
  }

  write(writer: BinaryWriter, number: number, values: readonly T[]): void {
    const type = this.#type;
    if (type.pack === undefined) {
      for (const value of values) type.write(writer, number, value);
      return;
    }
    delimited(writer, number).fork();
    for (const value of values) type.pack(writer, value);
    writer.join();
  }

  read(reader: BinaryReader, wireType: WireType, before: readonly T[]): readonly T[] {
    if (this.#type.pack === undefined || wireType !== WireType.LengthDelimited) {
      return [...before, this.#type.read(reader, wireType, this.#type.empty)];
    }
    const values = [...before];
    for (const end = reader.uint32() + reader.pos; reader.pos < end; ) {
      values.push(this.#type.read(reader, WireType.Varint, this.#type.empty));
    }
    return values;
  }
}

export function list<T>(type: FieldType<T>): FieldType<readonly T[]> {
  return new ListType(type);
}

type MapOf<T> = Readonly<Record<string, T>>;

const sorted = <T>(map: MapOf<T>) => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));

class MapType<T> implements FieldType<MapOf<T>> {
  readonly #type: FieldType<T>;
  readonly #entry: FieldType<{ readonly key: string; readonly value: T }>;

  constructor(type: FieldType<T>) {
    this.#type = type;
    this.#entry = message({ key: field(1, text), value: field(2, type) });
  }

  get shape(): TypeShape {
    const { shape } = this.#type;
    return { ...shape, word: `map<${shape.word}>` };
  }

  get empty(): MapOf<T> {
    return {};
  }

  isEmpty(map: MapOf<T>): boolean {
    return Object.keys(map).length === 0;
  }

  toYaml(map: MapOf<T>): unknown {
    return Object.fromEntries(sorted(map).map(([key, value]) => [key, this.#type.toYaml(value)]));
  }

  write(writer: BinaryWriter, number: number, map: MapOf<T>): void {
    for (const [key, value] of sorted(map)) this.#entry.write(writer, number, { key, value });
  }

  read(reader: BinaryReader, wireType: WireType, before: MapOf<T>): MapOf<T> {
    const { key, value } = this.#entry.read(reader, wireType, this.#entry.empty);
    return { ...before, [key]: value };
  }
}

/** A map with string keys, encoded in key order. */
export function mapOf<T>(type: FieldType<T>): FieldType<MapOf<T>> {
  return new MapType(type);
}

/** A map from strings to strings. */
export const textMap = mapOf(text);

class OrderedMapType<T> extends ListType<T> {
  readonly #entryOf: (item: T) => readonly [key: string, value: unknown];

  constructor(type: FieldType<T>, entryOf: (item: T) => readonly [key: string, value: unknown]) {
    super(type);
    this.#entryOf = entryOf;
  }

  override toYaml(items: readonly T[]): unknown {
    return Object.fromEntries(items.map(this.#entryOf));
  }
}

/** A list that is written as a map in YAML, in the order of the list. */
export function orderedMap<T>(
  type: FieldType<T>,
  entryOf: (item: T) => readonly [key: string, value: unknown],
): FieldType<readonly T[]> {
  return new OrderedMapType(type, entryOf);
}
