// Encodes google.protobuf.Struct, for objects without a schema.
import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject, JsonValue } from './json-object-type.ts';

const delimitedTag = (number: number) => (number << 3) | WireType.LengthDelimited;

/** Field numbers of a `google.protobuf.Value`. */
const kinds = { null: 1, number: 2, string: 3, boolean: 4, struct: 5, list: 6 } as const;

export function writeStruct(writer: BinaryWriter, value: JsonObject): void {
  for (const [key, item] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    writer.uint32(delimitedTag(1)).fork();
    writer.uint32(delimitedTag(1)).string(key);
    writer.uint32(delimitedTag(2)).fork();
    writeValue(writer, item);
    writer.join().join();
  }
}

function writeValue(writer: BinaryWriter, value: JsonValue): void {
  if (value === null) writer.uint32(kinds.null << 3).int32(0);
  else if (typeof value === 'number') writer.uint32((kinds.number << 3) | WireType.Bit64).double(value);
  else if (typeof value === 'string') writer.uint32(delimitedTag(kinds.string)).string(value);
  else if (typeof value === 'boolean') writer.uint32(kinds.boolean << 3).bool(value);
  else if (isList(value)) {
    writer.uint32(delimitedTag(kinds.list)).fork();
    for (const item of value) {
      writer.uint32(delimitedTag(1)).fork();
      writeValue(writer, item);
      writer.join();
    }
    writer.join();
  } else {
    writer.uint32(delimitedTag(kinds.struct)).fork();
    writeStruct(writer, value);
    writer.join();
  }
}

export function readStruct(bytes: Uint8Array): JsonObject {
  const entries: [string, JsonValue][] = [];
  for (const [number, entry] of fieldsOf(bytes)) {
    if (number !== 1) continue;
    let [key, value]: [string, JsonValue] = ['', null];
    for (const [part, reader] of fieldsOf(entry.bytes())) {
      if (part === 1) key = reader.string();
      if (part === 2) value = readValue(reader.bytes());
    }
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

function readValue(bytes: Uint8Array): JsonValue {
  let value: JsonValue = null;
  for (const [number, reader] of fieldsOf(bytes)) {
    if (number === kinds.number) value = reader.double();
    else if (number === kinds.string) value = reader.string();
    else if (number === kinds.boolean) value = reader.bool();
    else if (number === kinds.struct) value = readStruct(reader.bytes());
    else if (number === kinds.list) value = readList(reader.bytes());
  }
  return value;
}

function readList(bytes: Uint8Array): JsonValue[] {
  const values: JsonValue[] = [];
  for (const [number, reader] of fieldsOf(bytes)) if (number === 1) values.push(readValue(reader.bytes()));
  return values;
}

/**
 * Yields the number of each field, with the reader positioned at its value. Skips values that the caller does
 * not read.
 */
function* fieldsOf(bytes: Uint8Array): Generator<[number, BinaryReader]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const before = reader.pos;
    yield [number, reader];
    if (reader.pos === before) reader.skip(wireType, number);
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
