import { WireType } from '@bufbuild/protobuf/wire';
import { type FieldTable, field, type SpecOfFields } from './field.ts';
import { FieldList } from './field-list.ts';
import type { FieldType } from './field-type.ts';
import { delimited, text } from './scalar-types.ts';

/** A spec within a spec. */
export function message<F extends FieldTable>(fields: F): FieldType<SpecOfFields<F>> {
  const list = new FieldList(fields);
  return {
    shape: { word: 'message', fields },
    get empty() {
      return list.empty();
    },
    isEmpty: () => false,
    isOmitted: (value) => list.isLeftOut(value),
    toYaml: (value) => list.toYaml(value),
    write(writer, number, value) {
      delimited(writer, number).fork();
      list.write(writer, value);
      writer.join();
    },
    read: (reader) => list.read(reader.bytes()),
  };
}

/** Perhaps nothing: `null` in YAML. What is there is on the wire even when it is empty. */
export function optional<T>(type: FieldType<T>): FieldType<T | undefined> {
  return {
    shape: { ...type.shape, word: `${type.shape.word}?` },
    empty: undefined,
    isEmpty: (value) => value === undefined,
    toYaml: (value) => (value === undefined ? null : type.toYaml(value)),
    write: (writer, number, value) => type.write(writer, number, value as T),
    read: (reader, wireType, before) => type.read(reader, wireType, before ?? type.empty),
  };
}

export function list<T>(type: FieldType<T>): FieldType<readonly T[]> {
  const { pack } = type;
  return {
    shape: { ...type.shape, word: `${type.shape.word}[]` },
    empty: [],
    isEmpty: (values) => values.length === 0,
    toYaml: (values) => values.map((value) => type.toYaml(value)),
    write(writer, number, values) {
      if (pack === undefined) {
        for (const value of values) type.write(writer, number, value);
        return;
      }
      delimited(writer, number).fork();
      for (const value of values) pack(writer, value);
      writer.join();
    },
    read(reader, wireType, before) {
      if (pack === undefined || wireType !== WireType.LengthDelimited) {
        return [...before, type.read(reader, wireType, type.empty)];
      }
      const values = [...before];
      for (const end = reader.uint32() + reader.pos; reader.pos < end; ) {
        values.push(type.read(reader, WireType.Varint, type.empty));
      }
      return values;
    },
  };
}

/** Values by name, sorted by name. */
export function mapOf<T>(type: FieldType<T>): FieldType<Readonly<Record<string, T>>> {
  const entry = message({ key: field(1, text), value: field(2, type) });
  const sorted = (map: Readonly<Record<string, T>>) =>
    Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    shape: { ...type.shape, word: `map<${type.shape.word}>` },
    empty: {},
    isEmpty: (map) => Object.keys(map).length === 0,
    toYaml: (map) => Object.fromEntries(sorted(map).map(([key, value]) => [key, type.toYaml(value)])),
    write(writer, number, map) {
      for (const [key, value] of sorted(map)) entry.write(writer, number, { key, value } as never);
    },
    read(reader, wireType, before) {
      const { key, value } = entry.read(reader, wireType, entry.empty);
      return { ...before, [key]: value as T };
    },
  };
}

/** Texts by name. */
export const textMap = mapOf(text);

/** A list of names with values that YAML shows as a map, in the order of the list. */
export function orderedMap<F extends FieldTable>(
  fields: F,
  entryOf: (item: SpecOfFields<F>) => readonly [key: string, value: unknown],
): FieldType<readonly SpecOfFields<F>[]> {
  return { ...list(message(fields)), toYaml: (items) => Object.fromEntries(items.map(entryOf)) };
}
